/** Functions of the vendor that the engine lacks, and the texts of cells; they live in the engine's own database. */
const macros: readonly string[] = [
  // Integers of 64 bits: the same with wider ones takes five times as long.
  `MICROS_TEXT(micros) AS CASE WHEN micros < 0 THEN '-' ELSE '' END || CAST(abs(micros) // 1000000 AS VARCHAR)
     || '.' || lpad(CAST(abs(micros) % 1000000 AS VARCHAR), 6, '0') || '000'`,
  `NANOS_TEXT(nanos) AS CASE WHEN nanos < 0 THEN '-' ELSE '' END || CAST(abs(nanos) // 1000000000 AS VARCHAR)
     || '.' || lpad(CAST(abs(nanos) % 1000000000 AS VARCHAR), 9, '0')`,
  `REAL_TEXT(value) AS CASE WHEN isnan(value) THEN 'NaN' WHEN isinf(value) THEN CASE WHEN value > 0 THEN 'inf' ELSE '-inf' END
     ELSE regexp_replace(CAST(value AS VARCHAR), '\\.0$', '') END`,
  `VARIANT_TEXT(value) AS array_to_string(list_transform(string_split(json_pretty(value), chr(10)),
     lambda line: substr(line, 1 + (length(line) - length(ltrim(line))) // 2)), chr(10))`,
  `ZONE_MINUTES(zone) AS CASE WHEN zone IN ('', 'Z') THEN 0 ELSE CAST(zone[1] || '1' AS INTEGER)
     * (60 * CAST(zone[2:3] AS INTEGER) + CAST(right(zone, 2) AS INTEGER)) END`,
  `ZONED(text, zone) AS {'instant$': make_timestamp_ns(epoch_ns(CAST(left(text, length(text) - length(zone)) AS TIMESTAMP_NS))
     - CAST(ZONE_MINUTES(zone) AS BIGINT) * 60000000000), 'offset$': CAST(ZONE_MINUTES(zone) AS SMALLINT)}`,
  `TO_TIMESTAMP_TZ(value) AS CASE WHEN value IS NULL THEN NULL
     ELSE ZONED(CAST(value AS VARCHAR), regexp_extract(CAST(value AS VARCHAR), '([+-]\\d\\d:?\\d\\d|Z)$')) END`,
  'TO_TIMESTAMP_NTZ(value) AS CAST(value AS TIMESTAMP)',
  'TO_TIMESTAMP_LTZ(value) AS CAST(value AS TIMESTAMPTZ)',
  'TO_DATE(value) AS CAST(value AS DATE)',
  'TO_TIME(value) AS CAST(value AS TIME)',
  'TO_VARCHAR(value) AS CAST(value AS VARCHAR)',
  'TO_CHAR(value) AS CAST(value AS VARCHAR)',
  'TO_NUMBER(value) AS CAST(value AS HUGEINT)',
  'TO_DOUBLE(value) AS CAST(value AS DOUBLE)',
  'TO_BOOLEAN(value) AS CAST(value AS BOOLEAN)',
  'TO_BINARY(value) AS from_hex(value)',
  'TRY_TO_NUMBER(value) AS TRY_CAST(value AS HUGEINT)',
  'TRY_TO_DATE(value) AS TRY_CAST(value AS DATE)',
  'PARSE_JSON(value) AS CAST(value AS JSON)',
  'TRY_PARSE_JSON(value) AS TRY_CAST(value AS JSON)',
  'ARRAY_SIZE(value) AS json_array_length(to_json(value))',
  'IFF(test, yes, no) AS CASE WHEN test THEN yes ELSE no END',
  'NVL(value, other) AS coalesce(value, other)',
  'NVL2(value, yes, no) AS CASE WHEN value IS NOT NULL THEN yes ELSE no END',
  'ZEROIFNULL(value) AS coalesce(value, 0)',
  'NULLIFZERO(value) AS nullif(value, 0)',
  'DIV0(dividend, divisor) AS CASE WHEN divisor = 0 THEN 0 ELSE dividend / divisor END',
  'EQUAL_NULL(one, other) AS one IS NOT DISTINCT FROM other',
  'STARTSWITH(value, start) AS starts_with(value, start)',
  'ENDSWITH(value, ending) AS ends_with(value, ending)',
  'CHARINDEX(part, value) AS strpos(value, part)',
  `DATEADD(part, n, value) AS value + CASE part WHEN 'year' THEN to_years(n) WHEN 'quarter' THEN to_months(3 * n)
     WHEN 'month' THEN to_months(n) WHEN 'week' THEN to_days(7 * n) WHEN 'day' THEN to_days(n) WHEN 'hour' THEN to_hours(n)
     WHEN 'minute' THEN to_minutes(n) WHEN 'second' THEN to_seconds(n) END`,
]

/** SQL that makes the functions which a session finds beside its own schema. */
export const macroStatements: readonly string[] = macros.map((macro) => `CREATE MACRO memory.main.${macro}`)
