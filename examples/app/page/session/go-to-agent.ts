import { subagentBlockId } from 'agentfold'

/** Scrolls to an agent's conversation, opens the details around it, and focuses it. */
export function goToAgent(id: string): void {
  const name = CSS.escape(id)
  const found = document.querySelector(`[data-block="${subagentBlockId(name)}"], [data-orphan="${name}"]`)
  if (!found) {
    window.scrollTo({ top: 0 })
    document.querySelector('main')?.focus({ preventScroll: true })
    return
  }
  for (let element: Element | null = found; element; element = element.parentElement)
    if (element instanceof HTMLDetailsElement) element.open = true
  found.scrollIntoView({ block: 'start' })
  found.querySelector('summary')?.focus({ preventScroll: true })
}
