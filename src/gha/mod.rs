//! The runner's protocol: output files, workflow commands, masks, limits.
