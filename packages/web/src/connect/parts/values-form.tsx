/** The form of a way to authorize, printed from the schemas of the kind. */
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { PageProblem } from '../problem.ts'
import { type PageKind, type PageScheme, useConnecting } from '../view.ts'
import { type Field, type FieldHelp, type FormFields, type FormValues, listFields, readValues } from './fields.ts'
import { ProblemBox } from './problem-box.tsx'
import { Action, Actions, Progress } from './step.tsx'
import { useRequest } from './use-request.ts'

/** Values that the form gives. */
export interface SentValues extends Omit<FormValues, 'missing'> {
  readonly name?: string
}

/** What a form is made of. */
export interface ValuesFormProps {
  readonly kind: PageKind
  readonly scheme: PageScheme
  /** Label of the button that sends. */
  readonly action: string
  /** Said while the request runs. */
  readonly progress: string
  readonly onSend: (values: SentValues) => Promise<void>
  /** Stands before the fields. */
  readonly children?: ReactNode
}

/** Name of the new connector. */
const nameField: Field = {
  pointer: '/name',
  group: 'configuration',
  name: 'name',
  label: 'Name',
  control: 'text',
  about: 'Tells this connection apart from others of the same kind.',
  isRequired: false,
  choices: [],
  value: '',
  usual: '',
  help: undefined,
}

/** Shows values that the link fixes. */
function LockedValues({ locked }: Pick<PageKind, 'locked'>) {
  if (locked.length === 0) return null
  return (
    <dl className="locked">
      {locked.map(({ name, title, value }) => (
        <div key={name}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Says where things go with a kind that the organization wrote: its title can name anybody. */
function Unreviewed({ kind: { title, hosts, reviewed } }: { readonly kind: PageKind }) {
  const { page } = useConnecting()
  if (reviewed) return null
  return (
    <p className="note">
      {page.organization_name} described {title} itself, and nobody else has reviewed it. What you enter and what you agree to goes to{' '}
      <strong>{hosts.join(', ')}</strong>. Continue only if you know these hosts as those of {title}.
    </p>
  )
}

type Refusals = Readonly<Record<string, string>>

/** Finds the refusals that belong to fields. Those of a part of a value belong to its field. */
function assignRefusals(problem: PageProblem | undefined, pointers: readonly string[]): Refusals {
  const found = (problem?.details ?? []).flatMap(({ field, message }) => {
    const pointer = pointers.find((each) => field === each || field.startsWith(`${each}/`))
    return pointer === undefined ? [] : [[pointer, message] as const]
  })
  return Object.fromEntries(found.toReversed())
}

/** Keeps the fields and refusals of a form, and moves the focus to the first refusal. */
function useFormState(fields: FormFields, problem: PageProblem | undefined) {
  const form = useRef<HTMLFormElement>(null)
  const [missing, setMissing] = useState<Refusals>({})
  const all = useMemo(() => [...fields.first, ...fields.more], [fields])
  const pointers = [...all.map(({ pointer }) => pointer), nameField.pointer]
  const refusals = { ...assignRefusals(problem, pointers), ...missing }
  const details = (problem?.details ?? []).filter(({ field }) => !pointers.some((each) => field === each || field.startsWith(`${each}/`)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: new refusals move the focus, other changes do not
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [missing, problem])
  const hasBox = problem !== undefined && (details.length > 0 || problem.details.length === 0)
  return { form, all, refusals, details, hasBox, setMissing }
}

/** Shows fields that few need. They open when one of them was refused. */
function MoreFields({ fields, refusals }: { readonly fields: readonly Field[]; readonly refusals: Refusals }) {
  if (fields.length === 0) return null
  return (
    <details open={fields.some(({ pointer }) => refusals[pointer] !== undefined) || undefined}>
      <summary>More settings (optional)</summary>
      {fields.map((field) => (
        <FieldInput key={field.pointer} field={field} refusal={refusals[field.pointer]} />
      ))}
    </details>
  )
}

/** Shows the form, and sends its values once they are complete. */
export function ValuesForm({ kind, scheme, action, progress, onSend, children }: ValuesFormProps) {
  const { page, go } = useConnecting()
  const { isBusy, problem, run } = useRequest()
  const fields = useMemo(() => listFields(kind, scheme), [kind, scheme])
  const { form, all, refusals, details, hasBox, setMissing } = useFormState(fields, problem)
  const hasName = page.name === null && page.connector === null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const { missing, ...values } = readValues(all, data)
    setMissing(Object.fromEntries(missing.map((pointer) => [pointer, 'is missing'])))
    const name = String(data.get(nameField.pointer) ?? '').trim()
    if (missing.length === 0) void run(() => onSend({ ...values, ...(name === '' ? {} : { name }) }))
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      {problem !== undefined && hasBox && <ProblemBox problem={problem} details={details} />}
      {children}
      <Unreviewed kind={kind} />
      <LockedValues locked={kind.locked} />
      {fields.first.map((field) => (
        <FieldInput key={field.pointer} field={field} refusal={refusals[field.pointer]} />
      ))}
      <MoreFields fields={hasName ? [...fields.more, nameField] : fields.more} refusals={refusals} />
      <Progress>{isBusy && progress}</Progress>
      <Actions>
        <Action type="submit" isMain isBusy={isBusy}>
          {action}
        </Action>
        <Action onClick={() => go({ step: 'welcome' })} isBusy={isBusy}>
          Back
        </Action>
      </Actions>
    </form>
  )
}

interface ControlProps {
  readonly field: Field
  readonly attributes: {
    readonly id: string
    readonly name: string
    readonly defaultValue: string
    readonly 'aria-required': boolean
    readonly 'aria-invalid': boolean
    readonly 'aria-describedby': string | undefined
    readonly autoComplete: 'off'
    readonly spellCheck: false
  }
}

/** Shows a secret as dots, or as text while its button is pressed. */
function SecretInput({ field, attributes }: ControlProps) {
  const [isShown, show] = useState(false)
  return (
    <span className="secret">
      <input {...attributes} type={isShown ? 'text' : 'password'} autoCapitalize="none" />
      <button type="button" className="reveal" aria-pressed={isShown} aria-label={`Show ${field.label}`} onClick={() => show(!isShown)}>
        {isShown ? 'Hide' : 'Show'}
      </button>
    </span>
  )
}

/** Prints what an empty field means. */
const printUsual = ({ usual }: Field): string => `Default: ${usual}`

function ChoiceInput({ field, attributes }: ControlProps) {
  return (
    <select {...attributes}>
      {!field.isRequired && <option value="">{field.usual === '' ? 'Default' : printUsual(field)}</option>}
      {field.choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  )
}

function FieldControl(props: ControlProps) {
  const { field, attributes } = props
  if (field.control === 'password') return <SecretInput {...props} />
  if (field.control === 'choice') return <ChoiceInput {...props} />
  if (field.control === 'secret lines') return <textarea {...attributes} rows={5} className="key" placeholder="-----BEGIN …" />
  if (field.control === 'lines') return <textarea {...attributes} rows={2} />
  return <input {...attributes} type={field.control} autoCapitalize="none" />
}

/** Shows where the vendor shows the value, to who asks. */
function Help({ label, help: { says, menu, role, url } }: { readonly label: string; readonly help: FieldHelp }) {
  return (
    <details className="help">
      <summary>
        Where to find it<span className="hidden">: {label}</span>
      </summary>
      {says}
      {menu !== undefined && (
        <>
          {' '}
          Find it at <b>{menu}</b>.
        </>
      )}
      {role !== undefined && ` Needs the role: ${role}.`}
      {url !== undefined && (
        <>
          {' '}
          <a href={url} target="_blank" rel="noopener noreferrer">
            Open the page<span className="hidden"> that shows {label}, in a new tab</span>
          </a>
        </>
      )}
    </details>
  )
}

/** Shows a field. @param props `refusal`: why its value was refused */
function FieldInput({ field, refusal }: { readonly field: Field; readonly refusal: string | undefined }) {
  const id = field.pointer.slice(1).replaceAll(/\W/g, '-')
  const about = [field.about, ...(field.usual === '' ? [] : [printUsual(field)])].filter((each) => each !== '').join(' · ')
  const described = [about === '' ? [] : [`${id}-about`], refusal === undefined ? [] : [`${id}-refusal`]].flat()
  const attributes = {
    ...({ id, name: field.pointer, defaultValue: field.value, autoComplete: 'off', spellCheck: false } as const),
    'aria-required': field.isRequired,
    'aria-invalid': refusal !== undefined,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
  } as const
  return (
    <div className="field">
      <label htmlFor={id}>
        {field.label}
        {!field.isRequired && <span className="soft"> (optional)</span>}
      </label>
      {about !== '' && (
        <p id={`${id}-about`} className="about">
          {about}
        </p>
      )}
      <FieldControl field={field} attributes={attributes} />
      {refusal !== undefined && (
        <p id={`${id}-refusal`} className="refusal">
          {field.label} {refusal}
        </p>
      )}
      {field.help !== undefined && <Help label={field.label} help={field.help} />}
    </div>
  )
}
