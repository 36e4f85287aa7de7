/** `complete`: prints the script of a shell. The script asks `ferrule complete -- WORDS` for what can follow. */
import type { CommandContext } from '../context.ts'
import { failUsage } from '../failure.ts'

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

/** Prints the completion script of a shell. */
export async function complete({ args }: CommandContext): Promise<void> {
  const shell = shells.find((name) => name === args[0])
  if (shell === undefined) throw failUsage(`There is no script for the shell ${args[0]}.`, `Shells: ${shells.join(', ')}.`)
  const { script } = await import('@bomb.sh/tab')
  script(shell, 'ferrule', 'ferrule')
}
