/** Starts the connect page. */
import { linkId, secret } from './address.ts'
import './connect.css'
import { Component, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { openSession, readSession } from './api.ts'
import { App } from './app.tsx'
import { Frame } from './parts/frame.tsx'
import { PageProblem } from './problem.ts'
import { EndedStep } from './steps/ended.tsx'

/** Shows a mistake of this page instead of an empty window. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {}

  static getDerivedStateFromError = (error: unknown) => ({ error })

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    const problem = new PageProblem({ message: 'The page has a mistake.', hint: 'Load it again. Nothing was stored.' })
    return (
      <Frame>
        <EndedStep problem={problem} />
      </Frame>
    )
  }
}

const opening = secret === '' ? readSession() : openSession({ id: linkId, secret })
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <Boundary>
      <App opening={opening} />
    </Boundary>,
  )
