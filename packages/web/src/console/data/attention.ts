/** Notices whether somebody is at the page: a page that nobody looks at asks nothing, so its session can end. */
import { focusManager } from '@tanstack/react-query'

/** Time without input after which a page counts as left alone, in milliseconds. */
const aloneMs = 10 * 60_000
const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

/** Lets repeated reads pause while the page is hidden, or has had no input for a while. They resume with the next input. */
export function watchAttention(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => focusManager.setFocused(document.visibilityState === 'visible')
  const note = () => {
    clearTimeout(timer)
    timer = setTimeout(() => focusManager.setFocused(false), aloneMs)
    look()
  }
  for (const name of inputs) window.addEventListener(name, note, { passive: true })
  document.addEventListener('visibilitychange', note)
  note()
}
