/** The command `ferrule-server`: the service, and the operator's commands beside it. */
import { Command } from 'commander'
import { openApiDocument } from '../../http/openapi/openapi.ts'
import { routes } from '../../http/routes/index.ts'
import { version } from '../../values/version.ts'
import { findExitCode, formatFailure } from '../failure.ts'
import { readServedKinds } from '../kinds/served.ts'
import { serve } from '../serve.ts'
import { describeSettings } from '../settings/table.ts'
import { buildApplicationCommand, buildMigrateCommand, buildOrganizationCommand, buildVaultCommand } from './administration.ts'
import { buildExportCommand } from './export.ts'
import { buildKindCommand } from './kinds.ts'
import { buildViewsCommand } from './views.ts'

/** Builds `ferrule-server settings`. */
function buildSettingsCommand(): Command {
  const lines = () =>
    describeSettings().flatMap(({ name, type, default: standard, about }) => [name, `    ${about}`, `    ${type}; default: ${standard}`])
  return new Command('settings')
    .description('print every setting (environment variable) of the service')
    .action(() => void process.stdout.write(`${lines().join('\n')}\n`))
}

/** Builds `ferrule-server openapi`. */
function buildOpenApiCommand(): Command {
  const print = async () => {
    const document = openApiDocument({ routes, kinds: await readServedKinds(process.env) })
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
  }
  return new Command('openapi').description('print the OpenAPI 3.1 document').action(print)
}

/** Builds the command `serve`. */
const buildServeCommand = (): Command =>
  new Command('serve')
    .description('run the service until a signal')
    .option('--role <role>', 'role of this process: all, api or worker; overrides FERRULE_ROLE')
    .action(({ role }: { readonly role?: string }) => serve(role === undefined ? process.env : { ...process.env, FERRULE_ROLE: role }))

/** Lets a command and those below it print their help after a wrong use: commander hands the setting to what `command()` makes only. */
function showHelp(command: Command): Command {
  command.showHelpAfterError()
  for (const below of command.commands) showHelp(below)
  return command
}

const program = new Command('ferrule-server')
  .description('The self-hosted service of Ferrule, and the commands of its operator')
  .version(version)
  .addCommand(buildServeCommand())
  .addCommand(buildMigrateCommand())
  .addCommand(buildExportCommand())
  .addCommand(buildApplicationCommand())
  .addCommand(buildOrganizationCommand())
  .addCommand(buildKindCommand())
  .addCommand(buildViewsCommand())
  .addCommand(buildVaultCommand())
  .addCommand(buildSettingsCommand())
  .addCommand(buildOpenApiCommand())

try {
  await showHelp(program).parseAsync()
} catch (thrown) {
  process.stderr.write(`${formatFailure(thrown)}\n`)
  process.exitCode = findExitCode(thrown)
}
