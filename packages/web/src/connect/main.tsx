/** Starts the connect page. */
import { createRoot } from 'react-dom/client'
import './connect.css'

/** Shows the page of a link. */
const ConnectPage = () => (
  <main>
    <h1>Connect</h1>
    <p>Nothing can be connected here yet.</p>
  </main>
)

const root = document.getElementById('root')
if (root !== null) createRoot(root).render(<ConnectPage />)
