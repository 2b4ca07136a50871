import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import './style/tokens.css'
import './style/base.css'
import './style/controls.css'
import './style/pickers.css'
import './style/layout.css'
import './style/chart.css'
import './style/bars.css'
import './style/table.css'
import './style/pages.css'
import './style/agents.css'
import './style/people.css'

const root = document.getElementById('console')
if (root === null) throw new Error('the page has no place for the console')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
