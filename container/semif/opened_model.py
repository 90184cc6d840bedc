"""The model file opened by libllama: the first thing a start does, before numpy and the web server are imported."""

from dataclasses import dataclass

from semif.decision import StartFailure
from semif.llama.abi import AbiError
from semif.llama.binding import Library
from semif.llama.model import LlamaModel
from semif.memory_limit import memory_limit
from semif.settings import Settings


@dataclass(frozen=True, slots=True)
class OpenedModel:
    """A loaded model and what it was loaded with.

    Attributes:
        library: Its libllama.
        model: The weights, as many layers on a GPU as were asked for.
        gpu: Backend and device name of the first GPU, or None.
        memory_limit: Bytes the container may use.
    """

    library: Library
    model: LlamaModel
    gpu: tuple[str, str] | None
    memory_limit: int


def open_model(settings: Settings) -> OpenedModel:
    """Loads library and model; on the thread that will own the context.

    Raises:
        StartFailure: The library is unknown, the file does not load or does not fit, or a GPU does not hold the layers.
    """
    try:
        library = Library(settings.llama_dir)
    except AbiError as error:
        raise StartFailure(str(error)) from error
    gpu = library.gpu()
    if settings.n_gpu_layers != 0 and gpu is None:
        raise StartFailure(f"SEMIF_N_GPU_LAYERS is {settings.n_gpu_layers}, but there is no GPU backend with a device")
    limit = memory_limit()
    if settings.n_gpu_layers == 0 and settings.weights_bytes > limit:
        raise StartFailure(
            f"the model has {settings.weights_bytes >> 20} MiB, and the memory limit is {limit >> 20} MiB"
        )
    model = LlamaModel(library, settings.model_path, n_gpu_layers=settings.n_gpu_layers, files=len(settings.files))
    check_offloading(settings.n_gpu_layers, offloaded=model.layers_offloaded, total=model.layers_total)
    return OpenedModel(library, model, gpu, limit)


def check_offloading(n_gpu_layers: int, *, offloaded: int, total: int) -> None:
    """As many layers are on a GPU as were asked for.

    Raises:
        StartFailure: They are not; both figures are named.
    """
    asked = total if n_gpu_layers < 0 else min(n_gpu_layers, total)
    if offloaded != asked:
        raise StartFailure(f"{offloaded} layers are on a GPU where SEMIF_N_GPU_LAYERS asks for {asked}")
