/** Asks the user on the terminal. Without a terminal nothing waits: a missing answer is an error that names where to give it. */
import { failUsage, Interrupted } from './failure.ts'
import { showInLine } from './output/terminal.ts'

/** A question. */
export interface Question {
  readonly message: string
  /** Where the answer can be given instead: a flag, a variable or a file. */
  readonly instead: string
  /** Suggested answer. */
  readonly initial?: string
  /** Returns what is wrong with an answer. */
  readonly check?: (answer: string) => string | undefined
}

/** A question with fixed answers. */
export interface Choice extends Pick<Question, 'message' | 'instead'> {
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** The terminal as a partner. */
export interface Asker {
  /** False: there is no terminal, or prompts are switched off. */
  readonly canAsk: boolean
  text(question: Question): Promise<string>
  secret(question: Question): Promise<string>
  select(choice: Choice): Promise<string>
  /** Asks before something is deleted. `isConfirmed`: `--yes` was given. */
  confirm(message: string, isConfirmed: boolean): Promise<void>
}

/** Returns whether an environment is a build server's. */
export const isBuildServer = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false' && env['CI'] !== '0'

const refuse = ({ message, instead }: Pick<Question, 'message' | 'instead'>) =>
  failUsage(`An answer is missing: ${message}.`, `There is no terminal to ask on. Give ${instead}.`)

const load = () => import('@clack/prompts')

/** Waits for the answer of a prompt. @throws Interrupted when the user leaves the prompt */
async function answer<T extends string | boolean>(prompt: (clack: Awaited<ReturnType<typeof load>>) => Promise<T | symbol>): Promise<T> {
  const given = await prompt(await load())
  if (typeof given === 'symbol') throw new Interrupted()
  return given
}

const required =
  (check: Question['check']) =>
  (text: string | undefined): string | undefined =>
    text === undefined || text === '' ? 'An answer is needed.' : check?.(text)

/**
 * Makes the asker.
 * @param canAsk true: standard input and standard error are a terminal, and nothing forbids prompts
 */
export function createAsker(canAsk: boolean): Asker {
  const output = process.stderr
  return {
    canAsk,
    text: (question) => {
      if (!canAsk) throw refuse(question)
      const initial = question.initial === undefined ? {} : { initialValue: question.initial }
      return answer<string>(({ text }) => text({ message: question.message, output, validate: required(question.check), ...initial }))
    },
    secret: (question) => {
      if (!canAsk) throw refuse(question)
      return answer<string>(({ password }) => password({ message: question.message, output, validate: required(question.check) }))
    },
    select: (choice) => {
      if (!canAsk) throw refuse(choice)
      return answer<string>(({ select }) =>
        select({
          message: showInLine(choice.message),
          output,
          options: choice.options.map(({ value, label }) => ({ value, label: showInLine(label) })),
        }),
      )
    },
    confirm: async (message, isConfirmed) => {
      if (isConfirmed) return
      if (!canAsk) throw failUsage(`${message} needs a confirmation.`, 'There is no terminal to ask on. Give --yes.')
      const isAgreed = await answer(({ confirm }) => confirm({ message: `${showInLine(message)}?`, output, initialValue: false }))
      if (!isAgreed) throw new Interrupted()
    },
  }
}
