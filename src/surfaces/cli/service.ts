/** Commands that run or describe the service. */
import { Command } from 'commander'
import { kinds } from '../../connectors/index.ts'
import { settingsTable } from '../../platform/settings-table.ts'
import { routes } from '../http/routes/index.ts'
import { openApiDocument } from '../openapi.ts'
import { serve } from '../serve.ts'

/** `ferrule serve` */
export const serveCommand = (): Command =>
  new Command('serve')
    .description('run the service until a signal')
    .option('--role <role>', 'what this process does: all, api or worker; in the place of FERRULE_ROLE')
    .action(({ role }: { readonly role?: string }) => serve(role === undefined ? process.env : { ...process.env, FERRULE_ROLE: role }))

/** `ferrule settings` */
export function settingsCommand(): Command {
  const lines = () =>
    settingsTable.flatMap(({ name, type, default: standard, about }) => [name, `    ${about}`, `    ${type}; default: ${standard}`])
  return new Command('settings')
    .description('print all settings: environment variables of the service')
    .action(() => void process.stdout.write(`${lines().join('\n')}\n`))
}

/** `ferrule openapi` */
export function openApiCommand(): Command {
  const text = () => JSON.stringify(openApiDocument({ routes, kinds: Object.values(kinds) }), null, 2)
  return new Command('openapi').description("print the API's document (OpenAPI 3.1)").action(() => void process.stdout.write(`${text()}\n`))
}
