#!/usr/bin/env node
/** The executable `ferrule`: the service, and the operator's commands beside it. */
import { Command } from 'commander'
import { applicationCommand, organizationCommand, vaultCommand } from './cli/administration.ts'
import { exportCommand } from './cli/export.ts'
import { openApiCommand, serveCommand, settingsCommand } from './cli/service.ts'
import { exitCodeOf, failureText } from './failure.ts'
import { version } from './version.ts'

const program = new Command('ferrule')
  .description('One operation over every external system')
  .version(version)
  .showHelpAfterError()
  .addCommand(serveCommand())
  .addCommand(exportCommand())
  .addCommand(applicationCommand())
  .addCommand(organizationCommand())
  .addCommand(vaultCommand())
  .addCommand(settingsCommand())
  .addCommand(openApiCommand())

try {
  await program.parseAsync()
} catch (thrown) {
  process.stderr.write(`${failureText(thrown)}\n`)
  process.exitCode = exitCodeOf(thrown)
}
