"""Intake of device arrays, as far as no device is needed, and the reason why there is none."""

from __future__ import annotations

import importlib
import importlib.util
import sys

import numpy as np
import pytest
from tests.python.core.fake_device import CUDA, FakeDeviceArray

import fastvbench as fvb
from fastvbench.core import _device

PAIRS = np.array([[0.0, 4.0], [2.0, 8.0], [1.0, 1.5]])


@pytest.fixture
def cuda():
    if importlib.util.find_spec("fastvbench._cuda") is None:
        pytest.skip("_cuda is not in this build, which had no CUDA compiler")
    return importlib.import_module("fastvbench._cuda")


@pytest.fixture
def usable(monkeypatch, cuda):
    """Lets arguments through to the intake, as on a machine with a device."""
    monkeypatch.setattr(_device, "why_no_cuda", lambda: None)
    return cuda


def test_info_says_whether_cuda_can_be_used_or_why_not():
    about = fvb.info()
    assert about["cuda"] is (about["cuda_reason"] == "")
    if not about["cuda"]:
        assert len(about["cuda_reason"]) > 10
        assert about["cuda_devices"] == []


def test_an_unusable_device_is_an_error_with_the_reason(monkeypatch):
    monkeypatch.setattr(_device, "why_no_cuda", lambda: "there is no driver")
    fake = FakeDeviceArray(PAIRS)
    message = (
        "temporal_iou: pred is on CUDA device 0, which cannot be used: there is no driver; "
        "pass it in host memory"
    )
    with pytest.raises(fvb.DeviceError) as caught:
        fvb.temporal_iou(fake, PAIRS)
    assert str(caught.value) == message
    assert fake.exported == 0


def test_the_reason_here_is_given_where_cuda_cannot_be_used():
    reason = fvb.info()["cuda_reason"]
    if not reason:
        pytest.skip("CUDA can be used here")
    with pytest.raises(fvb.DeviceError, match="temporal_iou: gold is on CUDA device 3") as caught:
        fvb.temporal_iou(PAIRS, FakeDeviceArray(PAIRS, (CUDA, 3)))
    assert reason in str(caught.value)


def test_a_build_without_the_extension_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastvbench._cuda", None)
    assert _device.why_no_cuda.__wrapped__() == (
        "this installation was built without a CUDA compiler"
    )


def test_device_numbers_are_read_by_dlpack():
    assert _device.device_of(FakeDeviceArray(PAIRS, (CUDA, 5))) == 5
    assert _device.device_of(FakeDeviceArray(PAIRS, (13, 1))) == 1
    assert _device.device_of(FakeDeviceArray(PAIRS, (1, 0))) is None
    assert _device.device_of(PAIRS) is None
    assert _device.device_of([(0, 1)]) is None


def test_arguments_lie_on_one_device(usable):
    near, far = FakeDeviceArray(PAIRS), FakeDeviceArray(PAIRS, (CUDA, 1))
    with pytest.raises(TypeError, match=r"pred is on CUDA device 0 and gold is on CUDA device 1"):
        fvb.temporal_iou(near, far)
    with pytest.raises(TypeError, match=r"gold is on CUDA device 1 and pred is ndarray in host"):
        fvb.temporal_iou(PAIRS, far)
    assert near.exported == far.exported == 0


def test_out_is_for_host_arrays():
    with pytest.raises(TypeError, match="out is for host arrays"):
        fvb.temporal_iou(FakeDeviceArray(PAIRS), FakeDeviceArray(PAIRS), out=np.zeros(3))


def test_intake_borrows_and_gives_back(usable):
    fake = FakeDeviceArray(PAIRS)
    call = _device.take_device_arrays("a_function", pred=fake)
    (array,) = call.arrays
    assert (array.dtype, array.shape, array.device) == ("float64", (3, 2), 0)
    assert array.__dlpack_device__() == (CUDA, 0)
    assert call.stream.handle == 1
    assert call.give_back(array) is array
    assert (fake.exported, fake.returned) == (1, 0)
    del call, array
    assert fake.returned == 1


def test_wrong_layouts_are_named_and_given_back(usable):
    strided = FakeDeviceArray(np.repeat(PAIRS, 2, axis=1)[:, ::2])
    with pytest.raises(ValueError, match=r"pred has strides \[4, 2\] for shape \[3, 2\]; expect"):
        fvb.temporal_iou(strided, FakeDeviceArray(PAIRS))
    with pytest.raises(TypeError, match=r"gold has dtype float32; expected float64 on a device"):
        fvb.temporal_iou(FakeDeviceArray(PAIRS), FakeDeviceArray(PAIRS.astype(np.float32)))
    with pytest.raises(TypeError, match=r"gold has dtype bool; expected float64"):
        fvb.temporal_iou(FakeDeviceArray(PAIRS), FakeDeviceArray(PAIRS > 1))
    with pytest.raises(ValueError, match=r"pred has shape \[6\]; expected \[n, 2\]: start, end"):
        fvb.temporal_iou(FakeDeviceArray(PAIRS.ravel()), FakeDeviceArray(PAIRS))
    with pytest.raises(ValueError, match=r"pred has shape \[2, 3\]; expected \[n, 2\]"):
        fvb.temporal_iou(FakeDeviceArray(PAIRS.reshape(2, 3)), FakeDeviceArray(PAIRS))
    with pytest.raises(ValueError, match=r"pred has 3 rows and gold has 2; expected the same"):
        fvb.temporal_iou(FakeDeviceArray(PAIRS), FakeDeviceArray(PAIRS[:2]))


def test_a_value_begins_at_a_multiple_of_its_size(usable):
    shifted = np.frombuffer(bytes(100), np.uint8)[4:52].view(np.float64).reshape(3, 2)
    with pytest.raises(ValueError, match=r"pred begins within a value.*multiple of 8"):
        fvb.temporal_iou(FakeDeviceArray(shifted), FakeDeviceArray(PAIRS))


def test_rows_of_one_and_no_rows_are_contiguous_whatever_their_strides(usable):
    one = FakeDeviceArray(np.lib.stride_tricks.as_strided(PAIRS, (1, 2), (800, 8)))
    none = FakeDeviceArray(np.lib.stride_tricks.as_strided(PAIRS, (0, 2), (24, 16)))
    call = _device.take_device_arrays("a_function", one=one, none=none)
    assert [array.shape for array in call.arrays] == [(1, 2), (0, 2)]


def test_a_capsule_is_taken_once(cuda):
    capsule = FakeDeviceArray(PAIRS).__dlpack__(stream=1)
    array = cuda.DeviceArray.borrow(capsule, "pred")
    with pytest.raises(TypeError, match="a DLPack capsule that nobody has taken yet"):
        cuda.DeviceArray.borrow(capsule, "pred")
    assert cuda.DeviceArray.borrow(array.__dlpack__(), "again").shape == (3, 2)


def test_memory_of_the_host_is_refused(cuda):
    with pytest.raises(TypeError, match="pred is not in the memory of a CUDA device"):
        cuda.DeviceArray.borrow(PAIRS.__dlpack__(), "pred")


def test_what_a_library_does_not_export_is_named(usable):
    class NeedsGradient(FakeDeviceArray):
        def __dlpack__(self, *, stream):
            raise BufferError("Can't export tensors that require gradient")

    with pytest.raises(TypeError, match=r"gold is not exported by its library: Can't export"):
        fvb.temporal_iou(FakeDeviceArray(PAIRS), NeedsGradient(PAIRS))
