/** Ends the session. The answer is a page of the service, so a plain form asks for it. */
import { consolePath } from './page-facts.ts'

/** Ends the session here; `isEverywhere` ends all sessions of the application. */
export function signOut({ isEverywhere }: { readonly isEverywhere: boolean }): void {
  const [form, everywhere] = [document.createElement('form'), document.createElement('input')]
  form.method = 'post'
  form.action = `${consolePath}/session/end`
  form.hidden = true
  everywhere.type = 'hidden'
  everywhere.name = 'everywhere'
  everywhere.value = isEverywhere ? '1' : ''
  form.append(everywhere)
  document.body.append(form)
  form.submit()
}
