#!/usr/bin/env bash
# Removes results of last week.
for folder in results/*; do
    if [ -d "$folder" ]; then
        rm -rf "$folder"
done
