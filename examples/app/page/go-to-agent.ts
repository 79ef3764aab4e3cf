import { subagentBlockId } from 'agentfold'

/** Brings an agent's conversation into view, unfolds what it is in, and puts the focus there. */
export function goToAgent(id: string): void {
  const name = CSS.escape(id)
  const found = document.querySelector(`[data-block="${subagentBlockId(name)}"], [data-orphan="${name}"]`)
  if (!found) {
    window.scrollTo({ top: 0 })
    document.querySelector('main')?.focus({ preventScroll: true })
    return
  }
  for (let around: Element | null = found; around; around = around.parentElement)
    if (around instanceof HTMLDetailsElement) around.open = true
  found.scrollIntoView({ block: 'start' })
  found.querySelector('summary')?.focus({ preventScroll: true })
}
