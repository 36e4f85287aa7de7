/**
 * The term table and the SQL functions that searches use; the store creates them with its tables. They run on PGlite and on PostgreSQL 15
 * and later, with the extensions pg_trgm, btree_gin and fuzzystrmatch.
 *
 * The table `cs_terms` lists the distinct words of columns with `stored` words, per connector. A misspelled word or a part of a word is
 * looked up here (`lookups.ts`). A GIN index over the arrays of words then finds the rows with the words found. Listed words that no row
 * has any more are harmless: the final check decides.
 *
 * No function reads a table. So a search of one connector runs on the one node that holds it, where tables are distributed.
 */
import { longestKey } from './keys.ts'
import { joinedLimits } from './tokens/shared.ts'

/** Settings of every session that runs searches. */
export const searchSettings: Readonly<Record<string, string>> = { plan_cache_mode: 'force_custom_plan', jit: 'off' }

/** Builds the condition that a word has more than digits. */
export function isNoNumber(term: string): string {
  return `${term} ~ '[^0-9]'`
}

/** The table of listed words; `field` is `Term.field`. The store may partition the table by hash of connector_id. */
export const termTable = {
  name: 'cs_terms',
  columns: [
    { name: 'connector_id', type: 'int4' },
    { name: 'field', type: 'int4' },
    { name: 'term', type: 'text' },
  ],
  primaryKey: ['connector_id', 'field', 'term'],
  /**
   * Follows `create index … on cs_terms`; serves lookups of parts of words. Numbers are left out: ids would be most of the index, and only
   * a part of digits can be in one (`lookups.ts`).
   */
  index: `using gin (connector_id, field, term gin_trgm_ops) where ${isNoNumber('term')}`,
} as const

/** Maximum size of a page in bytes of JSON. A page has at least one record. */
export const largestPage = 16 * 1024 * 1024

const immutable = 'immutable parallel safe'

/** Converts a string to a number; null for other strings. The pattern equals the one of `parseDecimal`. */
const number = `create or replace function cs_number(value text) returns numeric language sql ${immutable} as $$
  select case when length(value) <= 400 and value ~ '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?$' then value::numeric end
$$`

/** Converts a string to microseconds since 1970; null if it is no timestamp. It must accept what `parseTimestamp` accepts. */
const instant = `create or replace function cs_instant(value text) returns int8 language plpgsql ${immutable} as $$
declare
  part text[];
  first date;
  hour int4;
  seconds int8;
begin
  if length(value) > 64 then return null; end if;
  part := regexp_match(value, '^([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-5][0-9])(?::([0-5][0-9]|60)(?:[.,]([0-9]{1,30}))?)?'
    || '(?:[Zz]|([+-](?:[01][0-9]|2[0-3]))(?::?([0-5][0-9]))?)?)?$');
  if part is null or part[1] = '0000' then return null; end if;
  first := make_date(part[1]::int4, part[2]::int4, 1);
  if part[3]::int4 not between 1 and extract(day from first + interval '1 month' - interval '1 day') then return null; end if;
  hour := coalesce(part[4], '0')::int4;
  if hour > 23 and (hour > 24 or concat(part[5], part[6], left(part[7], 6)) !~ '^0*$') then return null; end if;
  seconds := (first - date '1970-01-01' + part[3]::int4 - 1)::int8 * 86400 + hour * 3600
    + (coalesce(part[5], '0')::int4 - coalesce(part[8]::int4 * 60, 0) - coalesce((left(part[8], 1) || part[9])::int4, 0)) * 60
    + coalesce(part[6], '0')::int4;
  return seconds * 1000000 + rpad(left(coalesce(part[7], ''), 6), 6, '0')::int8;
end $$`

/**
 * Converts a string to lower case as JavaScript does, except for letters that only one of the two knows. Treats the final sigma as an
 * ordinary one.
 */
const lower = `create or replace function cs_lower(value text) returns text language sql ${immutable} as $$
  select replace(lower(replace(value, 'İ', 'i̇')), 'ς', 'σ')
$$`

const [joiners, pieceOfJoined] = [`-./''`, '[a-z0-9]+']

/** Returns the joined words of plain ASCII in lower case, and its words with a sign (`splitAscii`). */
const joined = `create or replace function cs_joined(value text) returns text[] language sql ${immutable} as $$
  select array(select whole from regexp_matches(value, '${pieceOfJoined}(?:[${joiners}]${pieceOfJoined})+', 'g') chain,
      translate(chain[1], '${joiners}', '') whole
    where length(chain[1]) - length(whole) < ${joinedLimits.mostPieces} and length(whole) <= ${joinedLimits.mostCharacters})
    || array(select word[1] from regexp_matches(value, '(?<![a-z0-9])[a-z]+(?:\\+\\+?|#)', 'g') word)
$$`

/** Returns the words of plain ASCII in lower case. Most strings have no joined words. */
const split = `create or replace function cs_split(value text) returns text[] language sql ${immutable} as $$
  select regexp_split_to_array(value, '[^a-z0-9]+') || case when value ~ '[a-z0-9][-./''+#]' then cs_joined(value) end
$$`

/**
 * Returns the `pk` of a key of one part (`keys.ts`), for what a field refers to. A key that is so long that its `pk` is shortened is not found.
 * A text that is no integer refers to nothing where keys are integers.
 */
const textKey = `create or replace function cs_text_key(value text) returns text language sql ${immutable} as $$
  select case when octet_length(value) <= ${longestKey} then replace(replace(value, chr(2), chr(2) || chr(2)), chr(1), chr(2) || chr(1)) end
$$`
const digitsKey = `create or replace function cs_digits_key(value text) returns text language sql ${immutable} as $$
  select case when starts_with(value, '-')
    then 'n' || translate(lpad((length(value) - 1)::text, 2, '0') || substr(value, 2), '0123456789', '9876543210')
    else 'p' || lpad(length(value)::text, 2, '0') || value end
$$`
const longestWhole = 19 // digits of the greatest integer of 64 bits
const countedDigits = Array.from(
  { length: longestWhole - 1 },
  (_, index) => `when value < 1${'0'.repeat(index + 1)} then 'p${String(index + 1).padStart(2, '0')}'`,
)
/**
 * Returns the `pk` of an integer of 64 bits. Comparisons count its digits: PostgreSQL inlines `cs_digits_key`, and makes the text again wherever
 * the value stands there.
 */
const wholeKey = `create or replace function cs_whole_key(value int8) returns text language sql ${immutable} as $$
  select case when value < 0 then cs_digits_key(value::text) else case ${countedDigits.join(' ')} else 'p${longestWhole}' end || value::text end
$$`
const integerKey = `create or replace function cs_integer_key(value text) returns text language sql ${immutable} as $$
  select case when value ~ '^(0|-?[1-9][0-9]{0,97})$' then cs_digits_key(value) end
$$`
const openKey = `create or replace function cs_open_key(value text) returns text language sql ${immutable} as $$
  select coalesce(cs_integer_key(value), 't' || cs_text_key(value))
$$`

/** Returns the words of a string: the stored ones, else those of plain ASCII. */
const words = `create or replace function cs_words(value text, stored text[]) returns text[] language sql ${immutable} as $$
  select coalesce(stored, cs_split(lower(value)))
$$`

/** Returns every string and number below a JSON value. */
const leaves = `create or replace function cs_leaves(value jsonb) returns setof text language sql ${immutable} as $$
  select leaf #>> '{}' from jsonb_path_query(value, 'strict $.** ? (@.type() == "string" || @.type() == "number")') leaf
$$`

/**
 * Returns the words of leaves that are joined by spaces: of plain ASCII, or of a folded twin, whose leaves are words. One call for all leaves,
 * because each call has its price. No word reaches across a space.
 */
const leafWords = `create or replace function cs_leaf_words(leaves text, is_folded boolean) returns text[] language sql ${immutable} as $$
  select case when is_folded then string_to_array(leaves, ' ') else cs_split(lower(leaves)) end
$$`

/**
 * Returns whether two words are within a number of edits; swapping two neighbours is one edit (optimal string alignment). Skips equal
 * prefixes, which never cost an edit. Slow: use it only for words that are known to be close.
 */
const within = `create or replace function cs_within(one text, other text, edits int4) returns boolean language plpgsql ${immutable} as $$
declare
  same int4 := 0;
begin
  if edits = 0 or one = other then return one = other; end if;
  while substr(one, same + 1, 1) = substr(other, same + 1, 1) loop same := same + 1; end loop;
  one := substr(one, same + 1);
  other := substr(other, same + 1);
  return cs_within(substr(one, 2), substr(other, 2), edits - 1) or cs_within(substr(one, 2), other, edits - 1)
    or cs_within(one, substr(other, 2), edits - 1)
    or (left(one, 2) = reverse(left(other, 2)) and cs_within(substr(one, 3), substr(other, 3), edits - 1));
end $$`

/**
 * A swap of two neighbours has Levenshtein distance 2. A swap counts as one typing error, so words of up to twice the allowed distance
 * are checked closely. A count of foreign letters rules most of them out first. Query words have at most 250 characters, below the limit
 * of 255 of levenshtein.
 */
export const buildIsSwapped = (word: string, { asked, distance, far }: Readonly<Record<'asked' | 'distance' | 'far', string>>): string =>
  `apart <= ${far} and length(translate(${word}, ${asked}, '')) < ${distance} and cs_within(${word}, ${asked}, ${distance})`
const isSwapped = (word: string): string => buildIsSwapped(word, { asked: 'asked', distance: 'distance', far: 'far' })

/** Scores the best match of a query word: 3 for an equal word, 2 for its prefix, 1 within the typing errors, else 0. */
const match = `create or replace function cs_match(words text[], asked text, distance int4) returns int4 language plpgsql ${immutable} as $$
declare
  size int4 := length(asked);
  far int4 := 2 * distance;
  word text;
  apart int4;
  best int4 := 0;
begin
  if words is null then return null; end if;
  foreach word in array words loop
    if starts_with(word, asked) then
      if word = asked then return 3; end if;
      best := 2;
    elsif best = 0 and distance > 0 and word <> '' and abs(length(word) - size) <= distance then
      apart := levenshtein_less_equal(word, asked, far);
      if apart <= distance or (${isSwapped('word')}) then best := 1; end if;
    end if;
  end loop;
  return best;
end $$`

/** Returns whether every query word matches some word within its typing errors. */
const fuzzy = `create or replace function cs_fuzzy(words text[], query text[], distances int4[]) returns boolean
language plpgsql ${immutable} as $$
declare
  asked text;
  size int4;
  distance int4;
  far int4;
  word text;
  apart int4;
  found boolean;
begin
  if words is null then return null; end if;
  for index in 1 .. cardinality(query) loop
    asked := query[index];
    size := length(asked);
    distance := distances[index];
    far := 2 * distance;
    found := false;
    foreach word in array words loop
      found := starts_with(word, asked);
      if not found and distance > 0 and word <> '' and abs(length(word) - size) <= distance then
        apart := levenshtein_less_equal(word, asked, far);
        found := apart <= distance or (${isSwapped('word')});
      end if;
      exit when found;
    end loop;
    if not found then return false; end if;
  end loop;
  return true;
end $$`

/** Sums the scores of all query words, each by its best match as in cs_match. Without distances only equal words score. */
const score = `create or replace function cs_score(words text[], query text[], distances int4[]) returns int4
language plpgsql ${immutable} as $$
declare
  total int4 := 0;
begin
  if words is null then return 0; end if;
  for index in 1 .. cardinality(query) loop
    if query[index] = any(words) then
      total := total + 3;
    elsif distances is not null then
      total := total + cs_match(words, query[index], distances[index]);
    end if;
  end loop;
  return total;
end $$`

/** Returns whether some word begins with one of several prefixes. */
const begins = `create or replace function cs_begins(words text[], beginnings text[]) returns boolean language sql ${immutable} as $$
  select exists (select from unnest(words) word, unnest(beginnings) beginning where starts_with(word, beginning))
$$`

/**
 * Returns the part of a JSON value that a tree of names selects; `true` selects everything below. Arrays apply the tree to each element.
 * Missing names are omitted and null stays. A scalar where the tree has names becomes SQL null.
 */
const pick = `create or replace function cs_pick(value jsonb, tree jsonb) returns jsonb language plpgsql strict ${immutable} as $$
begin
  if jsonb_typeof(tree) <> 'object' or jsonb_typeof(value) = 'null' then return value; end if;
  if jsonb_typeof(value) = 'array' then
    return coalesce((select jsonb_agg(part order by ordinal) from jsonb_array_elements(value) with ordinality as e(element, ordinal),
      cs_pick(element, tree) part where part is not null), '[]');
  end if;
  if jsonb_typeof(value) <> 'object' then return null; end if;
  return coalesce((select jsonb_object_agg(name, part) from jsonb_each(tree) as t(name, below), cs_pick(value -> name, below) part
    where value ? name and part is not null), '{}');
end $$`

/**
 * Writes a record of a page as JSON; the state is `{bytes so far, JSON, bytes before this record}`. Stops two records after a full page.
 * The first extra record shows that there is a next page, even when the page is a single oversized record.
 */
const pageStep = `create or replace function cs_page_step(state text[], value record) returns text[] language plpgsql ${immutable} as $$
declare
  json text;
  bytes int8 := coalesce(state[1]::int8, 0);
begin
  if state[3]::int8 > ${largestPage} then return array[state[1], null, state[3]]; end if;
  json := row_to_json(value)::text;
  return array[(bytes + octet_length(json) + 1)::text, json, bytes::text];
end $$`
const page = 'create or replace aggregate cs_page(record) (sfunc = cs_page_step, stype = text[], parallel = safe)'

/** Functions of earlier versions. The first ones read the term table, which a search distributed over nodes cannot do within a function. */
const outgrown: readonly string[] = [
  'cs_beginning_terms(int4, int4, text)',
  'cs_fuzzy_terms(int4, int4, text, int4, boolean)',
  'cs_like_terms(int4, int4, text)',
  'cs_irregular(int4, int4)',
  'cs_json_words(jsonb, jsonb)',
]

/** Statements that create or update the functions, and drop outgrown ones. */
export const searchFunctions: readonly string[] = [
  number,
  instant,
  lower,
  textKey,
  digitsKey,
  wholeKey,
  integerKey,
  openKey,
  joined,
  split,
  words,
  leaves,
  leafWords,
  within,
  match,
  fuzzy,
  score,
  begins,
  pick,
  pageStep,
  page,
  ...outgrown.map((each) => `drop function if exists ${each}`),
]
