/** Commands on kinds that organizations brought. They can run while the service runs, with the same settings. */
import { Command } from 'commander'
import type { OwnKindPlace } from '../../connectors/kind-promotions.ts'
import { print, withPlatform } from './administration.ts'

const formatKind = ({ name, title, organizationId, version, isPromoted }: OwnKindPlace): string =>
  `${name}  ${title}  version ${version}${isPromoted ? ', with tables of its own' : ''}  (${organizationId})`

const place = (name: string, isPromoted: boolean) =>
  withPlatform(async ({ kindPromotions }) => {
    const { version, connectors } = await kindPromotions.set(name, isPromoted)
    print(
      `Version ${version} of ${name} has ${isPromoted ? 'tables of its own' : 'the table of all such kinds'}. ${connectors} connectors moved.`,
    )
  })

/** Builds `ferrule-server kinds …`. */
export function buildKindCommand(): Command {
  const command = new Command('kinds').description('kinds that organizations brought, and their tables')
  command
    .command('list')
    .description('list the kinds of all organizations by their names, slug~id')
    .action(() =>
      withPlatform(async ({ kindPromotions }) => {
        for (const kind of await kindPromotions.list()) print(formatKind(kind))
      }),
    )
  command
    .command('promote')
    .description('give a large kind tables of its own; searches of its connectors wait until their records are read again')
    .argument('<slug~id>')
    .action((name: string) => place(name, true))
  command
    .command('demote')
    .description('take the tables back; searches of its connectors wait until their records are read again')
    .argument('<slug~id>')
    .action((name: string) => place(name, false))
  return command
}
