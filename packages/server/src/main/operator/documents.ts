/** Commands that describe the service. */
import { Command } from 'commander'
import { kinds } from 'ferrule/internal'
import { openApiDocument } from '../../http/openapi/openapi.ts'
import { routes } from '../../http/routes/index.ts'
import { describeSettings } from '../settings/table.ts'

/** Builds `ferrule-server settings`. */
export function buildSettingsCommand(): Command {
  const lines = () =>
    describeSettings().flatMap(({ name, type, default: standard, about }) => [name, `    ${about}`, `    ${type}; default: ${standard}`])
  return new Command('settings')
    .description('print every setting (environment variable) of the service')
    .action(() => void process.stdout.write(`${lines().join('\n')}\n`))
}

/** Builds `ferrule-server openapi`. */
export function buildOpenApiCommand(): Command {
  const text = () => JSON.stringify(openApiDocument({ routes, kinds: Object.values(kinds) }), null, 2)
  return new Command('openapi').description('print the OpenAPI 3.1 document').action(() => void process.stdout.write(`${text()}\n`))
}
