#!/usr/bin/env bash
# Run once by the image of PostgreSQL, when the primary is made: the standby may connect and follow.
set -euo pipefail
echo "host replication untold all scram-sha-256" >>"$PGDATA/pg_hba.conf"
# From the next start on, which follows at once: a commit while the database is made would wait for a standby that is not there.
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" \
    -c "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)'"
