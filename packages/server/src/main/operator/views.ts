/** `ferrule-server views`: SQL views of one connector, for programs that read PostgreSQL. */
import { Command } from 'commander'
import { fail } from 'ferrule/internal'
import { makeViews, removeViews, type ViewsResult } from '../../copies/store/views/views.ts'
import { viewOrganization } from '../../values/access.ts'
import { asId } from '../../values/ids.ts'
import { openContext } from '../context-store.ts'
import { createLogger } from '../logger.ts'
import { print, type StateParts, withPlatform } from './administration.ts'

interface ViewsOptions {
  readonly organization?: string
  readonly drop?: true
}

const setting = 'CONTEXT_DATABASE_URL'

const refuse = (reason: string) => fail('setting_invalid', { name: setting, reason })

const printStatements = (about: string, statements: readonly string[]): void =>
  print([about, ...statements.map((text) => `  ${text};`)].join('\n'))

function printResult(result: ViewsResult): void {
  switch (result.type) {
    case 'empty':
      throw refuse('nothing of this connector was ever stored; run this again after its first sync')
    case 'distributed':
      throw refuse('its tables are distributed by Citus, and views are for one machine; use exports or the feed of changes')
    case 'refused':
      process.exitCode = 1
      printStatements(
        `Nothing was made: the reader would also have ${result.rights.map(({ what }) => what).join(', ')}. Let an administrator of the database run:`,
        result.rights.map(({ remedy }) => remedy),
      )
      break
    case 'needs-administrator':
      process.exitCode = 1
      printStatements(
        'The user of the database may not create roles. Let an administrator run this, then run the command again:',
        result.statements,
      )
      break
    case 'made': {
      const { names, views, without, password } = result
      print(`The schema ${names.schema} has the views: ${views.join(', ') || 'none'}.`)
      if (without.length > 0) print(`Nothing was ever read of: ${without.join(', ')}. Run this again when one of them is synced.`)
      print(
        password === undefined
          ? `Reader ${names.reader}, with its password.`
          : `Reader ${names.reader}, password ${password} (shown this once: keep it)`,
      )
    }
  }
}

/** Opens the copy as the service does. */
async function withStore(parts: StateParts, run: (store: ReturnType<typeof openContext>) => Promise<void>): Promise<void> {
  if (parts.settings.context.engine === 'embedded')
    throw refuse('views need the copy on a PostgreSQL server; the embedded database takes no connections')
  const store = openContext({ ...parts, logger: createLogger({ level: parts.settings.logLevel }), platform: () => parts.platform })
  try {
    await run(store)
  } finally {
    await store.close()
  }
}

const drop = (connector: string, parts: StateParts): Promise<void> =>
  withStore(parts, async (store) => {
    const statements = await removeViews(await store.openDatabase(), connector)
    if (statements.length === 0) return print('The views and their roles are gone.')
    process.exitCode = 1
    return printStatements('The views are gone. Let an administrator drop their roles:', statements)
  })

const make = (connector: string, organization: string, parts: StateParts): Promise<void> =>
  withStore(parts, async (store) => {
    const { definition, own } = await parts.platform.connectors.readKind(viewOrganization(organization), connector)
    const { kind, entities } = definition
    const searchable = Object.keys(entities).filter((entity) => entities[entity]?.context_store_search !== undefined)
    const tables = searchable.map((entity) => store.getTable(kind, entity, own))
    printResult(await makeViews(await store.openDatabase(), connector, tables))
  })

const run = (given: string, { organization, drop: isDropped }: ViewsOptions) =>
  withPlatform(async (platform, parts) => {
    const connector = asId(given)
    if (connector === undefined) throw fail('connector_not_found', {})
    return isDropped ? drop(connector, parts) : make(connector, organization ?? platform.first.organizationId, parts)
  })

/** Builds `ferrule-server views`. */
export const buildViewsCommand = (): Command =>
  new Command('views')
    .description('make SQL views of a connector on PostgreSQL, with a role that may read only these')
    .argument('<connector id>')
    .option('--organization <id>', 'organization of the connector; default: the first one')
    .option('--drop', 'drop the views and their roles, also of a deleted connector')
    .addHelpText('after', '\nRun it again after an upgrade, and when more entities are synced.')
    .action(run)
