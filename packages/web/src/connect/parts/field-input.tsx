/** Shows a field with its help and its refusal. The browser keeps what is typed, and React never does: no secret becomes an attribute. */
import { useState } from 'react'
import type { Field, FieldHelp } from './fields.ts'

const toId = ({ pointer }: Field): string => pointer.slice(1).replaceAll(/\W/g, '-')

/** What every control has. */
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

/** Shows the options of a choice. */
function ChoiceInput({ field, attributes }: ControlProps) {
  const usual = field.usual === '' ? 'As usual' : `As usual: ${field.usual}`
  return (
    <select {...attributes}>
      {!field.isRequired && <option value="">{usual}</option>}
      {field.choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  )
}

/** Shows the control of a field. */
function FieldControl(props: ControlProps) {
  const { field, attributes } = props
  const placeholder = field.usual === '' ? undefined : field.usual
  if (field.control === 'password') return <SecretInput {...props} />
  if (field.control === 'choice') return <ChoiceInput {...props} />
  if (field.control === 'secret lines') return <textarea {...attributes} rows={5} className="key" placeholder="-----BEGIN …" />
  if (field.control === 'lines') return <textarea {...attributes} rows={2} />
  return <input {...attributes} type={field.control} placeholder={placeholder} autoCapitalize="none" />
}

/** Shows where the vendor shows the value. */
function Help({ id, label, help: { says, menu, url } }: { readonly id: string; readonly label: string; readonly help: FieldHelp }) {
  return (
    <p id={id} className="help">
      {says}
      {menu !== undefined && (
        <>
          {' '}
          Find it at <b>{menu}</b>.
        </>
      )}
      {url !== undefined && (
        <>
          {' '}
          <a href={url} target="_blank" rel="noopener noreferrer">
            Open the page<span className="hidden"> that shows {label}, in a new tab</span>
          </a>
        </>
      )}
    </p>
  )
}

/** Shows a field. @param props `refusal`: why its value was refused */
export function FieldInput({ field, refusal }: { readonly field: Field; readonly refusal: string | undefined }) {
  const id = toId(field)
  const described = [
    field.about === '' ? [] : [`${id}-about`],
    field.help === undefined ? [] : [`${id}-help`],
    refusal === undefined ? [] : [`${id}-refusal`],
  ].flat()
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
      {field.about !== '' && (
        <p id={`${id}-about`} className="about">
          {field.about}
        </p>
      )}
      <FieldControl field={field} attributes={attributes} />
      {refusal !== undefined && (
        <p id={`${id}-refusal`} className="refusal">
          {field.label} {refusal}
        </p>
      )}
      {field.help !== undefined && <Help id={`${id}-help`} label={field.label} help={field.help} />}
    </div>
  )
}
