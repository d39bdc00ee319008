#!/usr/bin/env bash
source "$(dirname "$0")/launch_epsilon.sh"
