from __future__ import annotations

import json

import pytest

from fastvbench.cli import _doctor_parts as parts
from fastvbench.cli import _doctor_probes as probes
from fastvbench.cli import main
from fastvbench.cli._doctor_probes import Child, FfmpegSet

TORCH = Child("ok", {"version": "2.14.1", "cuda_build": "13.0", "cuda": False})
CPU_TORCH = Child("ok", {"version": "2.14.1+cpu", "cuda_build": None, "cuda": False})
GPU_TORCH = Child(
    "ok", {"version": "2.14.1", "cuda_build": "13.0", "cuda": True, "devices": ["Some GPU"]}
)
NO_NVCUVID = "OSError: libnvcuvid.so.1: cannot open shared object file: No such file or directory"
SOUND = {
    probes.TORCH: TORCH,
    probes.TORCHVISION: Child("ok", {"version": "0.29.1"}),
    probes.TORCHCODEC: Child("ok", {"version": "0.17.0", "ffmpeg": 7}),
    probes.AV: Child("ok", {"version": "18.1.0", "ffmpeg": "8.1.2", "av1": True}),
    probes.NVDEC: Child("broken", {}, NO_NVCUVID),
}
SETS = [
    FfmpegSet(4, ("libavcodec.so.58", "libavutil.so.56"), ("libavcodec.so.58", "libavutil.so.56")),
    FfmpegSet(7, ("libavcodec.so.61", "libavutil.so.59"), ("libavcodec.so.61", "libavutil.so.59")),
]


@pytest.fixture
def examine(monkeypatch):
    """Examines an installation in which every part is as said, by title."""

    def run(changes=None, *, sets=SETS, installed="1.0"):
        children = SOUND | (changes or {})
        monkeypatch.setattr(probes, "run_child", lambda program: children[program])
        monkeypatch.setattr(probes, "ffmpeg_sets", lambda: sets)
        monkeypatch.setattr(probes, "installed_version", lambda name: installed)
        return {finding.part: finding for finding in parts.examine()}

    return run


def test_a_sound_installation_asks_for_nothing_but_a_gpu(examine):
    found = examine()
    assert found["torchcodec"].detail == "decodes with FFmpeg 7"
    assert found["PyAV"].detail == "decodes with its own FFmpeg 8.1.2"
    assert {part for part, finding in found.items() if finding.state != "ok"} <= {
        "NVDEC",
        "CUDA kernels",
    }
    assert found["NVDEC"].get == "nothing to do: videos decode on the CPU"


def test_no_ffmpeg_is_named_with_its_libraries(examine):
    found = examine({probes.TORCHCODEC: Child("ok", {"version": "0.17.0", "ffmpeg": None})})
    codec = found["torchcodec"]
    assert codec.state == "limited"
    assert codec.detail == "finds no FFmpeg 4 to 7 (libavutil.so.56 to libavutil.so.59)"
    assert "apt-get install ffmpeg" in codec.get
    assert "until then PyAV decodes" in codec.get


def test_an_ffmpeg_that_is_there_in_part_is_told_what_it_lacks(examine):
    begun = [SETS[0], FfmpegSet(7, SETS[1].wanted, ("libavcodec.so.61",))]
    child = Child("ok", {"version": "0.17.0", "ffmpeg": None})
    codec = examine({probes.TORCHCODEC: child}, sets=begun)["torchcodec"]
    assert codec.detail == "FFmpeg 7 lacks libavcodec.so.61"


def test_a_codec_for_cuda_beside_a_torch_for_the_cpu(examine):
    error = "OSError: libnvrtc.so.13: cannot open shared object file: No such file or directory"
    changes = {probes.TORCH: CPU_TORCH, probes.TORCHCODEC: Child("broken", {}, error)}
    codec = examine(changes)["torchcodec"]
    assert codec.state == "broken"
    assert codec.detail.startswith("lacks libnvrtc.so.13")
    assert "whl/cpu" in codec.get


def test_another_missing_library_is_named_as_such(examine):
    error = "OSError: libnppicc.so.13: cannot open shared object file: No such file or directory"
    codec = examine({probes.TORCHCODEC: Child("broken", {}, error)})["torchcodec"]
    assert codec.detail == "lacks the library libnppicc.so.13"
    assert "FFmpeg" not in codec.detail + codec.get


def test_a_gpu_without_its_video_decoder(examine):
    nvdec = examine({probes.TORCH: GPU_TORCH})["NVDEC"]
    assert (nvdec.state, nvdec.detail) == ("missing", "lacks libnvcuvid.so.1")
    assert "NVIDIA_DRIVER_CAPABILITIES" in nvdec.get


def test_a_bare_installation_says_what_to_install(examine):
    absent = Child("missing", {}, "ModuleNotFoundError: No module named 'x'")
    found = examine(dict.fromkeys(SOUND, absent), sets=[], installed=None)
    for part in ("torch", "torchvision", "torchcodec", "PyAV"):
        assert found[part].state == "missing"
        assert found[part].get == "pip install 'fastvbench[video]'"
    assert found["bokeh"].get == "pip install 'fastvbench[report]'"


def test_a_library_that_ends_the_process_is_a_line(examine):
    dead = Child("broken", {}, "loading it ends the process (SIGSEGV)")
    torch = examine({probes.TORCH: dead})["torch"]
    assert (torch.state, torch.detail) == ("broken", "loading it ends the process (SIGSEGV)")


@pytest.mark.parametrize(
    ("program", "state", "error"),
    [
        ("print('noise'); print('{\"version\": \"1\"}')", "ok", ""),
        ("import not_there_at_all", "missing", "No module named 'not_there_at_all'"),
        ("raise OSError('libx.so.1: cannot open shared object file')", "broken", "libx.so.1"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "broken", "SIGSEGV"),
        ("print('no report')", "broken", "printed no report"),
    ],
)
def test_children_report_or_die(program, state, error):
    child = probes.run_child(program)
    assert child.state == state
    assert error in child.error
    assert child.found == ({"version": "1"} if state == "ok" else {})


def test_a_child_that_hangs_is_stopped():
    child = probes.run_child("import time; time.sleep(60)", seconds=0.5)
    assert (child.state, child.error) == ("broken", "did not load within 0.5 s")


@pytest.mark.parametrize(
    ("error", "library"),
    [
        (NO_NVCUVID, "libnvcuvid.so.1"),
        ("ImportError: libGL.so: cannot open shared object file: No such file", "libGL.so"),
        ("dlopen(/a/b.so): Library not loaded: @rpath/libavutil.59.dylib", "libavutil.59.dylib"),
        ("RuntimeError: no kernel image", None),
    ],
)
def test_the_library_that_a_loader_misses(error, library):
    assert probes.missing_library(error) == library


def test_the_command(examine, capsys, tmp_path):
    examine({probes.TORCHCODEC: Child("ok", {"version": "0.17.0", "ffmpeg": None})})
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "finds no FFmpeg 4 to 7" in shown
    assert "how to get it" in shown
    assert main(["doctor", "-o", "-"]) == 0
    both = capsys.readouterr()
    listed = json.loads(both.out)
    assert listed["kind"] == "doctor"
    assert {"core", "torch", "torchcodec", "PyAV", "bokeh"} <= {p["part"] for p in listed["parts"]}
    assert "torchcodec" in both.err
    assert main(["doctor", "-o", str(tmp_path / "parts.json")]) == 0
    assert json.loads((tmp_path / "parts.json").read_bytes()) == listed


def test_an_extra_that_is_asked_for_and_not_whole_is_exit_code_3(examine, capsys):
    examine({probes.AV: Child("broken", {}, "ImportError: half of it")})
    assert main(["doctor", "video"]) == 3
    assert "ImportError: half of it" in capsys.readouterr().out
    assert main(["doctor", "models", "tables"]) == 0


def test_an_unknown_extra_is_bad_input(capsys):
    assert main(["doctor", "sound"]) == 2
    assert "'sound'; expected video, models" in capsys.readouterr().err


def test_the_real_probes_agree_with_the_libraries():
    av = pytest.importorskip("av", reason="the extra [video] is not installed")
    torchcodec = pytest.importorskip("torchcodec", reason="the extra [video] is not installed")
    assert probes.run_child(probes.AV).found["version"] == av.__version__
    whole = [each.major for each in probes.ffmpeg_sets() if not each.absent]
    found = torchcodec.ffmpeg_major_version
    assert (found in whole) if found is not None else not whole
    assert all("libavutil" in " ".join(each.wanted) for each in probes.ffmpeg_sets())
