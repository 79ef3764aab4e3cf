import { type ReactNode, useState } from 'react'
import { keepChoice, keptChoice } from './kept.ts'

const THEMES = ['system', 'light', 'dark'] as const

/** Shows the page in the colours that the reader chose before. */
export function applyTheme(theme: string = keptTheme()): void {
  document.documentElement.dataset.theme = theme
}

function keptTheme(): string {
  return keptChoice('localStorage', 'theme') ?? 'system'
}

/** The colours of the page: those of the system, or the reader's choice. */
export function Theme(): ReactNode {
  const [theme, setTheme] = useState(keptTheme)
  const choose = (next: string) => {
    setTheme(next)
    applyTheme(next)
    keepChoice('localStorage', 'theme', next)
  }
  return (
    <label className="colours">
      Colours{' '}
      <select value={theme} onChange={({ target }) => choose(target.value)}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {name.charAt(0).toUpperCase() + name.slice(1)}
          </option>
        ))}
      </select>
    </label>
  )
}
