import { SLACK_MS } from '../rows/line.js'
import { named } from '../sql/connection.js'
import { channelIn } from './messages.js'

/** The server's clock while a statement runs; `now()` is that of its transaction, which may have begun long before. */
const CLOCK = 'clock_timestamp()'
const MICROSECONDS = microsecondsOf(CLOCK)

/** A time in whole microseconds since 1970, which is as fine as the server keeps it. */
function microsecondsOf(time: string): string {
  return `(extract(epoch FROM ${time})::float8 * 1000000)::bigint`
}

/** A time in milliseconds, exactly: a float becomes a text of as few digits as `extra_float_digits` says, and would move a lease's end. */
function millisecondsOf(time: string): string {
  return `(${microsecondsOf(time)} / 1000.0)`
}

/** When a lease of that many milliseconds from now on ends: it may be endless, which no interval is. */
function endOf(leaseMs: string): string {
  return `to_timestamp(extract(epoch FROM ${CLOCK})::float8 + ${leaseMs}::float8 / 1000)`
}

/**
 * The version of a changed row: the time of the change in microseconds, so that it tells the age of a row too. It only grows, also from a
 * deleted row to the next one of that name.
 */
const NEXT_VERSION = `greatest(r.version + 1, ${MICROSECONDS})`

/** The advisory lock that a client's LISTEN connection holds. */
function presenceOf(client: string): string {
  return `hashtextextended(${client}, 4853170952)`
}

/** The advisory lock that a transaction keeps for a tie, whose name is its number. */
function tieOf(tie: string): string {
  return `${tie}::bigint`
}

/**
 * The `until` of `rest`, if it has one. The server writes a space before and behind a colon, clients do not. This searches the text: the
 * server cannot read all JSON (a NUL character), and one such row must not stop the clean-up of the others.
 */
const UNTIL = `substring(r.rest::text FROM '^[{]"until" ?: ?([0-9.]+)')::float8`

/** Whether a value lies beside the lock. The server may be unable to read it as JSON; no text contains this key, since texts escape quotes. */
const HAS_VALUE = `coalesce(position('"value":{' IN r.rest::text) > 0, false)`

const NOW = `'now', ${millisecondsOf(CLOCK)}::text`

/**
 * A row in one value, which costs little in a statement that does not need it. It names the clients that are gone, of those that a change
 * may tell something (the waiting ones, and one that lets the lock linger), and the ties whose transactions have ended. The server cannot
 * read all JSON (a NUL in a text), but no text contains `"ties":{`, since texts escape quotes.
 */
const ROW = `json_build_object(
    'version', r.version::text, 'owner', r.owner, 'holds', r.holds::text,
    'ends_at', CASE r.ends_at WHEN 'infinity' THEN 'Infinity' ELSE ${millisecondsOf('r.ends_at')}::text END, 'fence', r.fence::text,
    'waiting', r.waiting, 'rest', r.rest::text, ${NOW},
    'gone', CASE WHEN r.waiting <> '{}' OR r.rest IS NOT NULL THEN ARRAY(
      SELECT c.client FROM unnest(r.waiting || coalesce(split_part(r.owner, ':', 1), '')) AS c (client)
      WHERE pg_try_advisory_xact_lock_shared(${presenceOf('c.client')})) END,
    'ended_ties', CASE WHEN position('"ties":{' IN r.rest::text) > 0 THEN ARRAY(
      SELECT t.tie[1] FROM regexp_matches(substring(r.rest::text FROM '"ties":[{]([^}]*)'), '"(-?[0-9]+)":', 'g') AS t (tie)
      WHERE pg_try_advisory_xact_lock_shared(${tieOf('t.tie[1]')})) END)`

/** The last pages may not be had. */
const QUEUE_IS_FULL = '(pg_notification_queue_usage() > 0.99)::text'

/** Statements that do not name the table. */
export const statements = {
  /**
   * Resets what the application sets for all its connections, so that no statement of Holdfast fails by it. A statement that waits for a row
   * ends when its caller gives up. (A `statement_timeout` would also end the wait for a synchronous replica, and let that pass for success.)
   */
  hello: `
SELECT pg_backend_pid()::text AS pid, current_setting('server_version') AS version, CASE WHEN pg_backend_pid() = $1::bigint THEN
  set_config('default_transaction_isolation', 'read committed', false) ||
  set_config('default_transaction_read_only', 'off', false) ||
  set_config('statement_timeout', '0', false) ||
  set_config('jit', 'off', false) ||
  CASE WHEN current_setting('transaction_timeout', true) IS NULL THEN '' ELSE set_config('transaction_timeout', '0', false) END ||
  set_config('lock_timeout', $2::text, false) END AS settings`,
  exists: 'SELECT to_regclass($1)::text AS found',
  ...named('holdfast', {
    /** Whether nobody keeps that tie. */
    tieEnded: `SELECT pg_try_advisory_xact_lock_shared(${tieOf('$1')})::text AS ended`,
    /** Which process answers, and whether it could notify. */
    process: `SELECT pg_backend_pid()::text AS pid, ${QUEUE_IS_FULL} AS full`,
    queue: `SELECT ${QUEUE_IS_FULL} AS full`,
    /** Others see by it whether this client listens. */
    present: `SELECT pg_try_advisory_lock(${presenceOf('$1::text')})::text AS present`,
    /** Waits until an earlier connection of this client has ended. */
    presentAtLast: `SELECT pg_advisory_lock(${presenceOf('$1::text')})`,
    /** Ends the connections on which those clients listen. The two halves of a lock's number are where `pg_locks` has them. */
    endListening: `
SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l
WHERE l.locktype = 'advisory' AND l.granted AND l.mode = 'ExclusiveLock' AND l.objsubid = 1
  AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
  AND (l.classid::bigint << 32 | l.objid::bigint) IN (SELECT ${presenceOf('c.client')} FROM unnest($1::text[]) AS c (client))`,
  }),
}

/** Texts as PostgreSQL reads an array of them. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** All statements for locks in that table, whose name is in SQL. */
export function statementsFor(table: string) {
  const key = 'r.keyspace = $1 AND r.name = $2'
  const row = `coalesce((SELECT ${ROW} FROM ${table} AS r WHERE ${key}), json_build_object(${NOW}))::text`
  const update = `
  UPDATE ${table} AS r SET version = ${NEXT_VERSION}, owner = $4, holds = $5::bigint,
    ends_at = to_timestamp($6::float8 / 1000), fence = $7::bigint, waiting = $8::text[], rest = $9::json
  WHERE ${key} AND r.version = $3::bigint RETURNING true AS done`
  const insert = `
  INSERT INTO ${table} (keyspace, name, full_name, version, owner, holds, ends_at, fence, waiting, rest)
  VALUES ($1, $2, $3::json, ${MICROSECONDS}, $4, $5::bigint, to_timestamp($6::float8 / 1000), $7::bigint, $8::text[], $9::json)
  ON CONFLICT DO NOTHING RETURNING true AS done`
  // The count makes the server call the function for each message, and for none if it wrote nothing.
  const andTell = (written: string): string => `
WITH written AS (${written}),
told AS (SELECT pg_notify(m.channel, m.payload) FROM written, unnest($10::text[], $11::text[]) AS m (channel, payload))
SELECT count(*) >= 0 AS done FROM told HAVING (SELECT count(*) FROM written) > 0`
  const free = `(r.owner IS NULL OR r.ends_at <= clock_timestamp()) AND r.waiting = '{}' AND r.rest IS NULL`
  // A refusal brings the row, which the next step needs.
  const orRow = (result: string): string => `
SELECT true AS done, ${result}, NULL AS row FROM changed
UNION ALL
SELECT false, NULL, ${row} WHERE NOT EXISTS (SELECT FROM changed)`
  const held = 'r.owner = $3 AND r.ends_at > clock_timestamp()'
  const freed = `
  UPDATE ${table} AS r SET version = ${NEXT_VERSION}, owner = NULL, holds = 0, ends_at = NULL
  WHERE ${key} AND ${held} AND r.holds = 1 AND r.waiting = '{}' AND r.rest IS NULL
  RETURNING true`
  return named('holdfast', {
    read: `SELECT ${row} AS row`,
    insert: insert,
    insertAndTell: andTell(insert),
    update: update,
    updateAndTell: andTell(update),
    // Does not touch a held row: the attempt would lock it, and the server would flush that to disk.
    take: `
WITH changed AS (
  INSERT INTO ${table} AS r (keyspace, name, full_name, version, owner, holds, ends_at, fence, waiting)
  SELECT $1, $2, $4::json, ${MICROSECONDS}, $3, 1, ${endOf('$5')}, ${MICROSECONDS}, '{}'
  WHERE NOT EXISTS (SELECT FROM ${table} AS r WHERE ${key} AND NOT (${free}))
  ON CONFLICT (keyspace, name) DO UPDATE SET version = ${NEXT_VERSION}, owner = $3, holds = 1, ends_at = ${endOf('$5')},
    fence = greatest(r.fence + 1, ${MICROSECONDS})
  WHERE ${free}
  RETURNING r.fence)
${orRow('changed.fence::text AS fence')}`,
    free: `WITH changed AS (${freed})${orRow('false AS next')}`,
    // Does what `Line` of src/stores/rows does in the usual case. It refuses any other: the lock may linger, clients outside the line listen, a
    // process is away or has let a grant lapse, or no message reaches a process that this would tell. Where nobody waits it costs the server
    // twice as much as `free`.
    pass: `
WITH freed AS (${freed}),
held AS (
  SELECT r.rest::jsonb AS rest FROM ${table} AS r
  WHERE NOT EXISTS (SELECT FROM freed) AND ${key} AND ${held} AND r.holds = 1 AND NOT ${HAS_VALUE}
  FOR NO KEY UPDATE OF r),
line AS (
  SELECT h.rest #> '{line,places}' AS places, h.rest #> '{line,processes}' AS processes, n.now,
    h.rest #>> '{line,places,0}' AS place, split_part(h.rest #>> '{line,places,0}', ':', 2) AS client,
    split_part(h.rest #>> '{line,places,1}', ':', 2) AS behind
  FROM held AS h, LATERAL (SELECT clock_timestamp() AS now) AS n
  WHERE h.rest - 'line' - 'until' = '{}' AND h.rest #> '{line,letIn}' <@ jsonb_build_array($3::text)
    AND octet_length($4::text) < 6000),
next AS (
  SELECT l.*, p.process ->> 'word' AS word, (p.process ->> 'leaseMs')::numeric AS lease_ms, (p.process ->> 'places')::int - 1 AS left,
    (SELECT max((e.value ->> 'looksAt')::numeric) FROM jsonb_each(l.processes) AS e
      WHERE e.key <> l.client OR (p.process ->> 'places')::int > 1) AS quiet_from,
    coalesce((l.processes -> l.behind ->> 'looksAt')::numeric
      > ${millisecondsOf('l.now')} + (p.process ->> 'leaseMs')::numeric + ${SLACK_MS}, false) AS calls
  FROM line AS l, LATERAL (SELECT l.processes -> l.client AS process) AS p
  WHERE CASE WHEN p.process ? 'word'
      AND NOT EXISTS (SELECT FROM jsonb_each(l.processes) AS e WHERE e.value ? 'awaySince')
      AND (l.behind IS NULL OR l.processes -> l.behind ? 'looksAt')
    THEN NOT pg_try_advisory_xact_lock_shared(${presenceOf('l.client')}) END),
passed AS (
  UPDATE ${table} AS r SET version = ${NEXT_VERSION}, owner = substr(n.place, strpos(n.place, ':') + 1),
    ends_at = n.now + n.lease_ms * interval '1 ms',
    fence = greatest(r.fence + 1, ${MICROSECONDS}),
    waiting = CASE WHEN n.left = 0 THEN array_remove(r.waiting, n.client) ELSE r.waiting END,
    rest = CASE WHEN n.behind IS NOT NULL THEN json_build_object('until',
      greatest(n.quiet_from, ${millisecondsOf('n.now')} + n.lease_ms), 'line', json_build_object(
      'places', n.places - 0,
      'processes', CASE WHEN n.left = 0 THEN o.processes - n.client
        ELSE jsonb_set(o.processes, ARRAY[n.client, 'places'], to_jsonb(n.left)) END,
      'letIn', json_build_array(substr(n.place, strpos(n.place, ':') + 1)))) END
  FROM next AS n, LATERAL (SELECT CASE WHEN NOT n.calls THEN n.processes
    ELSE jsonb_set(n.processes, ARRAY[n.behind, 'looksAt'], to_jsonb(${millisecondsOf('n.now')} + n.lease_ms)) END AS processes) AS o
  WHERE ${key} AND CASE WHEN n.calls THEN NOT pg_try_advisory_xact_lock_shared(${presenceOf('n.behind')}) ELSE true END
  RETURNING n.place, n.client, n.word, n.now, n.lease_ms, r.fence, n.behind, n.calls),
told AS (
  SELECT pg_notify(${channelIn('p.client')}, '0.0.0:' || json_build_array('lock', $4::json,
    encode(sha256(convert_to(p.word || g.text || p.word, 'UTF8')), 'hex') || ' ' || g.text)::text),
    CASE WHEN p.calls THEN pg_notify(${channelIn('p.behind')}, '1.0.0:' || json_build_array('lock', $4::json,
      json_build_object('lookInMs', p.lease_ms)::text)::text) END
  FROM passed AS p, LATERAL (
    SELECT json_strip_nulls(json_build_object('letIn', p.place, 'atUs', ${microsecondsOf('p.now')},
      'leaseMs', p.lease_ms, 'fence', CASE WHEN p.place LIKE 'f:%' THEN p.fence::text END))::text AS text) AS g),
changed AS (SELECT false AS next FROM freed UNION ALL SELECT true FROM told)
${orRow('changed.next')}`,
    // Does what `Line.stand` of src/stores/rows does for a new place. It refuses if the lock may be free, or its row keeps more than a line. A
    // refusal brings no row, since this statement sees the row as it was before it waited for other changes.
    stand: `
UPDATE ${table} AS r SET version = ${NEXT_VERSION}, (waiting, rest) = (
  SELECT CASE WHEN l.processes ? $5 THEN r.waiting ELSE r.waiting || $5::text END,
    json_build_object('until', greatest(l.ends_at, l.looks_at, (
        SELECT max((e.value ->> 'looksAt')::numeric) FROM jsonb_each(l.processes) AS e)),
      'line', json_build_object('places', l.places || to_jsonb($4::text),
        'processes', l.processes || jsonb_build_object($5::text, jsonb_build_object(
          'places', coalesce((l.processes #>> ARRAY[$5::text, 'places'])::int, 0) + 1,
          'looksAt', greatest((l.processes #>> ARRAY[$5::text, 'looksAt'])::numeric, l.looks_at),
          'leaseMs', $6::numeric, 'word', $7::text)),
        'letIn', l.let_in))
  FROM (
    SELECT coalesce(n.line -> 'places', '[]') AS places, coalesce(n.line -> 'processes', '{}') AS processes,
      coalesce(n.line -> 'letIn', '[]') AS let_in, n.ends_at, least(n.ends_at, n.now + $6::numeric) AS looks_at
    FROM (
      SELECT r.rest::jsonb -> 'line' AS line, ${millisecondsOf('r.ends_at')} AS ends_at,
        ${millisecondsOf(CLOCK)} AS now OFFSET 0) AS n) AS l)
WHERE ${key} AND r.owner <> $3 AND r.ends_at > clock_timestamp() AND isfinite(r.ends_at)
  AND CASE WHEN r.rest IS NULL THEN r.waiting = '{}' WHEN ${HAS_VALUE} THEN false
    ELSE r.rest::jsonb - 'line' - 'until' = '{}' AND NOT r.rest::jsonb #> '{line,places}' ? $4 END
RETURNING json_build_object('holder', r.owner, 'fence', r.fence::text, ${NOW},
  'endsAt', ${millisecondsOf('r.ends_at')})::text AS standing`,
    // It waits for no row that somebody has locked, so that two of them cannot wait for each other.
    renewAll: `
WITH held AS (
  SELECT r.name, a.lease_ms FROM unnest($2::text[], $3::text[], $4::float8[]) AS a (name, owner, lease_ms)
  JOIN ${table} AS r ON r.keyspace = $1 AND r.name = a.name AND r.owner = a.owner
  WHERE r.ends_at > clock_timestamp()
  FOR NO KEY UPDATE OF r SKIP LOCKED)
UPDATE ${table} AS r SET version = ${NEXT_VERSION}, ends_at = greatest(r.ends_at, ${endOf('held.lease_ms')})
FROM held WHERE r.keyspace = $1 AND r.name = held.name
RETURNING r.name, r.owner`,
    renew: `
UPDATE ${table} AS r SET version = ${NEXT_VERSION}, ends_at = greatest(r.ends_at, ${endOf('$4')})
WHERE ${key} AND ${held} RETURNING true AS done`,
    // The server plans this for each pattern, and finds one that begins with a letter by the index.
    names: `
SELECT r.name, r.full_name::text AS full_name FROM ${table} AS r
WHERE r.keyspace = $1 AND r.name > $2 AND r.name LIKE $3 ORDER BY r.name LIMIT 1000`,
    // Rows that say nothing: a new row of that name would be the same, but for a token, which then comes from the clock.
    clean: `
DELETE FROM ${table} AS d USING (
  SELECT r.keyspace, r.name FROM ${table} AS r
  WHERE r.version < ${MICROSECONDS} - $1::float8::bigint * 1000
    AND (r.waiting = '{}' AND r.rest IS NULL OR ${UNTIL} < ${MICROSECONDS} / 1000 - $1::float8)
    AND (r.ends_at IS NULL AND r.holds = 0 OR r.ends_at < clock_timestamp() - $1::float8 * interval '1 ms')
  LIMIT 1000 FOR UPDATE SKIP LOCKED) AS old
WHERE d.keyspace = old.keyspace AND d.name = old.name`,
  })
}

export type Statements = ReturnType<typeof statementsFor>
