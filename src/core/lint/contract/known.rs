//! Variables that nobody in a checkout sets or reads, because something else does.

/// Starts of names that Slurm, GitHub, the shell, drivers and Python set.
const SET_ELSEWHERE: [&str; 34] = [
    "SLURM",
    "SBATCH_",
    "PMI_",
    "PMIX_",
    "OMPI_",
    "GITHUB_",
    "RUNNER_",
    "ACTIONS_",
    "INPUT_",
    "BASH_",
    "COMP_",
    "LC_",
    "SSH_",
    "XDG_",
    "SUDO_",
    "CUDA_",
    "NVIDIA_",
    "NCCL_",
    "ROCR_",
    "ROCM_",
    "HIP_",
    "HSA_",
    "GPU_DEVICE_",
    "PYTHON",
    "CONDA_",
    "VIRTUAL_",
    "SRT_",
    "SRTX_",
    "ENROOT_",
    "PYXIS_",
    "KUBERNETES_",
    "LD_",
    "DBUS_",
    "GIT_",
];

/// Names that the shell, the login or the runner sets.
const SET_NAMES: [&str; 52] = [
    "BASH",
    "BASHOPTS",
    "BASHPID",
    "CI",
    "COLUMNS",
    "DIRSTACK",
    "DISPLAY",
    "EDITOR",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTFILE",
    "HOME",
    "HOST",
    "HOSTNAME",
    "HOSTTYPE",
    "IFS",
    "LANG",
    "LANGUAGE",
    "LINENO",
    "LINES",
    "LOGNAME",
    "MACHTYPE",
    "MAIL",
    "MAPFILE",
    "OLDPWD",
    "OPTARG",
    "OPTERR",
    "OPTIND",
    "OSTYPE",
    "PAGER",
    "PATH",
    "PIPESTATUS",
    "PPID",
    "PROMPT_COMMAND",
    "PS1",
    "PS4",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELL",
    "SHELLOPTS",
    "SHLVL",
    "SRANDOM",
    "TERM",
    "TMPDIR",
    "TZ",
    "UID",
    "USER",
];

/// Whether something outside of the checkout gives the variable a value.
pub(in crate::core::lint) fn is_set_elsewhere(name: &str) -> bool {
    SET_NAMES.binary_search(&name).is_ok() || SET_ELSEWHERE.iter().any(|start| name.starts_with(start))
}

/// Starts of names that programs read from their environment.
const READ_BY_PROGRAMS: [&str; 86] = [
    "ACTIONS_",
    "AITER_",
    "AIPERF_",
    "AMD_",
    "APPTAINER_",
    "ATOM_",
    "AWS_",
    "BASH_",
    "CARGO_",
    "CMAKE_",
    "COMPOSE_",
    "CONDA_",
    "CUBLAS_",
    "CUDA_",
    "CUDNN_",
    "DEBIAN_",
    "DG_",
    "DOCKER_",
    "DYN_",
    "ENROOT_",
    "ETCD_",
    "FLASHINFER_",
    "FORCE_COLOR",
    "GCP_",
    "GH_",
    "GIT_",
    "GITHUB_",
    "GLOO_",
    "GOOGLE_",
    "HF_",
    "HIP_",
    "HSA_",
    "HTTP",
    "HUGGING",
    "JAX_",
    "KUBE",
    "LC_",
    "LD_",
    "LMCACHE_",
    "MC_",
    "MIOPEN_",
    "MKL_",
    "MODAL_",
    "MOONCAKE_",
    "MPI_",
    "MPICH_",
    "MV2_",
    "NATS_",
    "NCCL_",
    "NIXL_",
    "NO_COLOR",
    "NPM_",
    "NUMBA_",
    "NVIDIA_",
    "NVSHMEM_",
    "NVTE_",
    "OMP",
    "OPENAI_",
    "OPENBLAS_",
    "PIP_",
    "PMIX_",
    "PRTE_",
    "PYTEST_",
    "PYTHON",
    "PYTORCH_",
    "PYXIS_",
    "RAY_",
    "RCCL_",
    "ROCM_",
    "ROCR_",
    "RUNNER_",
    "RUST",
    "SAFETENSORS_",
    "SGLANG_",
    "SGL_",
    "SINGULARITY_",
    "SLURM_",
    "SRT_",
    "SRTX_",
    "TLLM_",
    "TOKENIZERS_",
    "TORCH",
    "TRITON_",
    "TRTLLM_",
    "TRANSFORMERS_",
    "UCX_",
];

/// More of them; two lists so that neither is a wall.
const READ_BY_MORE_PROGRAMS: [&str; 12] =
    ["UV_", "VLLM_", "WANDB_", "XDG_", "XLA_", "ZE_", "TENSORRT_", "TRT_", "DEEPEP_", "NVCC_", "MALLOC_", "SSL_"];

/// Options that Slurm's commands take from the environment, by the name without the command.
const SLURM_OPTIONS: [&str; 31] = [
    "ACCOUNT",
    "ACCTG_FREQ",
    "BELL",
    "CLUSTERS",
    "CONSTRAINT",
    "CONTAINER",
    "CORE_SPEC",
    "CPUS_PER_GPU",
    "DEBUG",
    "DELAY_BOOT",
    "EXCLUSIVE",
    "GPUS",
    "GPUS_PER_NODE",
    "GPUS_PER_TASK",
    "GRES",
    "HINT",
    "IMMEDIATE",
    "KILL_CMD",
    "MEM_BIND",
    "MEM_PER_CPU",
    "MEM_PER_GPU",
    "MEM_PER_NODE",
    "NETWORK",
    "NO_KILL",
    "OVERCOMMIT",
    "PARTITION",
    "PROFILE",
    "QOS",
    "RESERVATION",
    "TIMELIMIT",
    "WAIT_ALL_NODES",
];

/// Names that programs read, of no family.
const READ_NAMES: [&str; 22] = [
    "GPU_MAX_HW_QUEUES",
    "MASTER_ADDR",
    "MASTER_PORT",
    "NODE_ENV",
    "NODE_OPTIONS",
    "NODE_PATH",
    "CC",
    "CFLAGS",
    "CI",
    "CXX",
    "CXXFLAGS",
    "HOME",
    "IFS",
    "LANG",
    "LDFLAGS",
    "MAKEFLAGS",
    "NO_PROXY",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
];

/// Whether a program outside of the checkout may read the variable.
pub(in crate::core::lint) fn is_read_elsewhere(name: &str) -> bool {
    let slurm = |command| name.strip_prefix(command).is_some_and(|option| SLURM_OPTIONS.contains(&option));
    READ_NAMES.contains(&name)
        || READ_BY_PROGRAMS.iter().chain(&READ_BY_MORE_PROGRAMS).any(|start| name.starts_with(start))
        || slurm("SALLOC_")
        || slurm("SBATCH_")
}

/// Words of names that people set by hand when they want to: places, limits and switches.
const KNOB_WORDS: [&str; 58] = [
    "ACCOUNT",
    "ATTEMPTS",
    "BIN",
    "BYTES",
    "CACHE",
    "DEBUG",
    "DELAY",
    "DIR",
    "DIRS",
    "DISABLE",
    "DRY",
    "ENABLE",
    "EXTRA",
    "FILE",
    "FORCE",
    "GB",
    "HOME",
    "HOST",
    "INTERVAL",
    "KEEP",
    "KILL",
    "LEVEL",
    "LOCK",
    "LOG",
    "LOGS",
    "MB",
    "MINUTES",
    "MIRROR",
    "NO",
    "OPTS",
    "OVERRIDE",
    "PARTITION",
    "PATH",
    "PORT",
    "PREFIX_DIR",
    "PROFILE",
    "QOS",
    "QUIET",
    "REGISTRY",
    "RETRIES",
    "RETRY",
    "ROOT",
    "RUN_ID",
    "SECONDS",
    "SECS",
    "SERVER",
    "SKIP",
    "TIMEOUT",
    "TMP",
    "TRACE",
    "URL",
    "USE",
    "VERBOSE",
    "VERSION",
    "WAIT",
    "WITH",
    "WITHOUT",
    "XTRACE",
];

/// Whether a name reads like a setting that is meant to be absent.
pub(in crate::core::lint) fn is_knob(name: &str) -> bool {
    name.split('_').any(|word| KNOB_WORDS.binary_search(&word).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_searched_are_sorted() {
        assert!(SET_NAMES.is_sorted());
        assert!(KNOB_WORDS.is_sorted());
    }

    #[test]
    fn what_the_surroundings_set_is_known() {
        for name in
            ["SLURM_JOB_ID", "SLURMD_NODENAME", "GITHUB_ACTIONS", "ROCR_VISIBLE_DEVICES", "RANDOM", "HOME", "CI"]
        {
            assert!(is_set_elsewhere(name), "{name}");
        }
        assert!(!is_set_elsewhere("OFFLOADING") && !is_set_elsewhere("SAGEMAKER_SHM_PATH"));
    }

    #[test]
    fn what_slurm_reads_is_known_by_its_exact_name() {
        assert!(is_read_elsewhere("SALLOC_PARTITION") && !is_read_elsewhere("SALLOC_EXCLUDE"));
        assert!(is_read_elsewhere("HF_TOKEN") && !is_read_elsewhere("RESULT_DIR"));
    }

    #[test]
    fn settings_for_people_are_told_from_parts_of_the_contract() {
        for name in
            ["B200_SQUASH_DIR", "KEEP_LOGS", "LMCACHE_READY_ATTEMPTS", "WITH_LM_EVAL", "HICACHE_TOTAL_CPU_DRAM_GB"]
        {
            assert!(is_knob(name), "{name}");
        }
        assert!(!is_knob("THINKING_MODE") && !is_knob("NUM_SPEC_TOKENS") && !is_knob("OFFLOADING"));
    }
}
