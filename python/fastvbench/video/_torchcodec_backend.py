"""Frames through TorchCodec, which is told where they are instead of reading the whole file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import orjson

from fastvbench.video._backend import BackendInfo, Decoded, Recovery
from fastvbench.video._errors import FrameDecodeError, VideoOpenError, first_line
from fastvbench.video._torchcodec_scan import import_torchcodec
from fastvbench.video._torchcodec_walker import TorchCodecWalker

if TYPE_CHECKING:
    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._source import VideoFile

__all__ = ["TorchCodecSource"]

_ALL_FRAMES = 2_000  # up to here the whole table is handed over
_MOST_REORDERED = 16
_DECODER_ERRORS = (RuntimeError, ValueError, IndexError)


class TorchCodecSource:
    """One open video.

    TorchCodec's exact mode reads the whole file to learn where its frames are. It takes that
    table from outside as well (``custom_frame_mappings``), as JSON, and an hour of video makes
    megabytes of it. So it gets the frames that are wanted and the key frames, no more.

    Args:
        file: the video.
        index: its frames.
        device: ``cpu`` or a CUDA device, on which frames are decoded and stay.
        threads: of FFmpeg's decoder on the CPU.
        fallback_reason: why not on the device asked for.

    Raises:
        VideoOpenError: TorchCodec cannot open it there.
        MissingExtraError: TorchCodec doesn't work here.
    """

    def __init__(
        self,
        file: VideoFile,
        index: FrameIndex,
        *,
        device: str = "cpu",
        threads: int = 1,
        fallback_reason: str = "",
    ) -> None:
        self._torchcodec = import_torchcodec()
        self._file, self._index, self._device, self._threads = file, index, device, threads
        self._known = np.empty(0, dtype=np.int64)  # frames in the decoder's table
        self._decoder: Any = None
        self._walker: TorchCodecWalker | None = None
        self.prepare(np.array([0]))
        on_cpu = self._decoder.cpu_fallback if self._decoder and device != "cpu" else None
        self.info = BackendInfo(
            name="torchcodec",
            version=f"{self._torchcodec.__version__} "
            f"(FFmpeg {self._torchcodec.ffmpeg_major_version})",
            device=device,
            fallback_reason=str(on_cpu) if on_cpu else fallback_reason,
        )
        self.recovery = Recovery()  # this backend is strict

    def prepare(self, indices: npt.NDArray[np.int64]) -> None:
        """See ``FrameSource``."""
        if len(self._known) and np.isin(indices, self._known).all():
            return
        self._known = _frames_to_tell(self._index, indices)
        self._decoder = self._opened()

    def decode(self, indices: npt.NDArray[np.int64]) -> Decoded:
        """See ``FrameSource``."""
        self.prepare(indices)
        if self._decoder is not None:
            try:
                frames, pts = self._batch(indices)
            except _DECODER_ERRORS:
                self._decoder = self._opened()  # one that failed may be in any state
            else:
                if not self._wrong(indices, pts).any():
                    return Decoded(frames, indices)
        return Decoded(self._walked(indices), indices)

    def close(self) -> None:
        """See ``FrameSource``."""
        self._decoder = self._walker = None
        self._known = np.empty(0, dtype=np.int64)

    def _opened(self) -> Any:
        """TorchCodec's decoder; None where frames have to be walked to."""
        if not self._file.has_key_frame_table:
            return None
        ticks = self._index.pts_ticks[self._known]
        duration = np.append(np.diff(ticks), self._index.last_duration_ticks)
        is_key = self._index.is_key[self._known].astype(np.int64)
        columns = zip(ticks.tolist(), duration.tolist(), is_key.tolist(), strict=True)
        frames = [{"pts": p, "duration": d, "key_frame": k} for p, d, k in columns]
        try:
            return self._torchcodec.decoders.VideoDecoder(
                self._file.name_for_decoders,
                custom_frame_mappings=orjson.dumps({"frames": frames}),
                device=self._device,
                num_ffmpeg_threads=self._threads,
            )
        except ValueError:
            return None  # a header without a duration; frames can be walked to all the same
        except (RuntimeError, IndexError) as error:
            raise VideoOpenError(
                f"cannot be opened on {self._device} ({first_line(error)})", path=self._file.path
            ) from None

    def _batch(self, indices: npt.NDArray[np.int64]) -> tuple[Any, npt.NDArray[np.float64]]:
        batch = self._decoder.get_frames_at(np.searchsorted(self._known, indices).tolist())
        return batch.data, batch.pts_seconds.cpu().numpy()

    def _wrong(
        self, indices: npt.NDArray[np.int64], pts: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.bool_]:
        """Frames that are shown at another time than the ones asked for."""
        half_tick = self._index.time_base_numerator / self._index.time_base_denominator / 2
        return np.abs(pts - self._index.pts[indices]) > half_tick

    def _walked(self, indices: npt.NDArray[np.int64]) -> Any:
        """The second way, frame by frame, where a batch fails or a seek lands past its target.

        A batch fails as a whole, sometimes for no reason that holds for all its frames. Containers
        without a table of key frames are sought only nearly, which a batch wouldn't notice. And the
        last frames of an open group of pictures are not handed out by every FFmpeg when decoding
        starts at its key frame.
        """
        import torch  # noqa: PLC0415

        if self._walker is None:
            self._walker = TorchCodecWalker(
                self._torchcodec.decoders,
                self._file,
                self._index,
                device=self._device,
                threads=self._threads,
            )
        return torch.stack([self._walked_to(self._walker, index) for index in indices.tolist()])

    def _walked_to(self, walker: TorchCodecWalker, target: int) -> Any:
        try:
            found = walker.walk_to(target)
            if found.number == target:
                return walker.picture(found.frame)
        except (RuntimeError, IndexError) as error:
            walker.restart(0)
            raise self._error(target, first_line(error)) from None
        raise self._error(target, "the decoder shows no frame at that time")

    def _error(self, index: int, reason: str) -> FrameDecodeError:
        return FrameDecodeError(self._file.path, index, float(self._index.pts[index]), reason)


def _frames_to_tell(index: FrameIndex, wanted: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Numbers of the frames that the decoder must know of to find ``wanted``, ascending.

    Besides the key frames, it needs those just before the ones where decoding will start: it
    counts frames in its table to decide whether seeking pays, and fewer than it can hold back
    would make it decode straight on.
    """
    if len(index) <= _ALL_FRAMES:
        return np.arange(len(index))
    starts = np.unique(index.key_frame_before(wanted))
    before = starts[starts >= 0, None] - np.arange(1, _MOST_REORDERED + 2)
    return np.unique(np.concatenate([wanted, index.key_frames, before[before >= 0]]))
