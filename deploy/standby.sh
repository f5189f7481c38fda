#!/usr/bin/env bash
# A copy of the primary that follows it under the name `standby`. After a failover: pg_ctl promote in this container.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    until PGPASSWORD="$POSTGRES_PASSWORD" pg_basebackup -D "$PGDATA" -R -X stream -c fast \
        -d "host=primary user=untold application_name=standby password=$POSTGRES_PASSWORD"; do
        sleep 1
    done
    chown -R postgres:postgres "$PGDATA"
    chmod 700 "$PGDATA"
fi
exec gosu postgres postgres
