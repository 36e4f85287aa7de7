/** A PostgreSQL database with stand-ins of the functions of Citus, which refuse what Citus refuses and note what they were asked. */
import pg from 'pg'
import { type Catalogue, readFunction } from './citus-rule.ts'
import { createStoreWorld, type StoreWorld } from './store-world.ts'

const standIns = `
  create table pg_dist_partition (logicalrelid regclass primary key, beside text);
  create function create_distributed_table(table_name regclass, distribution_column text, colocate_with text default 'default') returns void
  language plpgsql as $$ begin
    if exists (select from pg_class where oid = table_name and relkind = 'p') then raise 'the stand-in distributes no partitioned tables'; end if;
    if exists (select from pg_index where indrelid = table_name and indisunique and not exists (select from pg_attribute
      where attrelid = table_name and attname = distribution_column and attnum = any(indkey))) then
      raise 'cannot create constraint on "%"', table_name; end if;
    if colocate_with <> 'none' and not exists (select from pg_dist_partition where logicalrelid = colocate_with::regclass) then
      raise 'relation % is not distributed', colocate_with; end if;
    insert into pg_dist_partition values (table_name, colocate_with);
  end $$;
  create function create_reference_table(table_name regclass) returns void language sql as $$ insert into pg_dist_partition values (table_name, null) $$;
  create function run_command_on_shards(table_name regclass, command text) returns table (shardid int8, success boolean, result text)
  language plpgsql as $$ begin
    execute format(command, table_name) into result;
    shardid := 102008; success := true;
    return next;
  end $$`

/** A world over the stand-ins. */
export interface CitusWorld extends StoreWorld {
  /** Runs a statement beside the stores. */
  run(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Reads how tables are distributed, and what functions do. */
  readCatalogue(): Promise<Catalogue>
}

/** Creates a world whose database has the stand-ins. */
export async function createCitusWorld(): Promise<CitusWorld> {
  const world = await createStoreWorld('postgres')
  if (world.settings.engine !== 'postgres') throw new Error('the stand-ins need PostgreSQL')
  const client = new pg.Client({ connectionString: world.settings.url.reveal() })
  await client.connect()
  const run = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows
  await run(standIns)
  const close = world.close.bind(world)
  return Object.assign(world, {
    run,
    readCatalogue: () => readCatalogue(run),
    close: async () => {
      await client.end()
      await close()
    },
  })
}

type Run = CitusWorld['run']

/** Functions that are ours: those of the schema that belong to no extension. */
const ownFunctions = `select p.proname as name, p.prosrc as body, l.lanname as language,
    case when p.prokind = 'f' then pg_get_functiondef(p.oid) else '' end as definition
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace = 'public'::regnamespace and p.proname like 'cs\\_%' and p.prokind = 'f'
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`

async function readCatalogue(run: Run): Promise<Catalogue> {
  const known = new Map(
    (await run('select logicalrelid::text as name, beside from pg_dist_partition')).map((row) => [row['name'], row['beside']]),
  )
  const volatility = new Map<string, 'i' | 's' | 'v'>()
  for (const { name, how } of await run(`select proname as name, max(provolatile::text) as how from pg_proc group by 1`))
    volatility.set(String(name), how === 'v' ? 'v' : how === 's' ? 's' : 'i')
  return {
    distributionOf: (table) => (known.has(table) ? (known.get(table) === null ? 'reference' : 'distributed') : undefined),
    readers: await findReaders(await run(ownFunctions)),
    volatility,
  }
}

/** Finds the functions that read tables, by themselves or by another function. */
export async function findReaders(functions: readonly Readonly<Record<string, unknown>>[]): Promise<Map<string, readonly string[]>> {
  const readers = new Map<string, readonly string[]>()
  const read = await Promise.all(
    functions.map(async ({ name, ...rest }) => ({
      name: String(name),
      ...(await readFunction({ definition: String(rest['definition']), language: String(rest['language']), body: String(rest['body']) })),
    })),
  )
  for (let size = -1; size < readers.size; ) {
    size = readers.size
    for (const { name, tables, calls } of read) {
      const all = [...tables, ...calls.flatMap((call) => readers.get(call) ?? [])]
      if (all.length > 0) readers.set(name, all)
    }
  }
  return readers
}
