/** Starts the console. */
import '@mantine/core/styles.css'
import './console.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { watchAttention } from './data/attention.ts'
import { watchLeaving } from './data/leaving.ts'
import { consolePath, styleNonce } from './data/page-facts.ts'
import { createQueryClient } from './data/query-client.ts'
import { Shell } from './shell/shell.tsx'
import { resolveVariables, theme } from './theme.ts'

const root = document.getElementById('root')
// The lock of the scrollbar behind a dialog writes a style element, and takes its nonce from this name.
Reflect.set(globalThis, '__webpack_nonce__', styleNonce)

const queryClient = createQueryClient()
watchAttention()
watchLeaving()

if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
        <QueryClientProvider client={queryClient}>
          <Router base={consolePath}>
            <Shell />
          </Router>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
