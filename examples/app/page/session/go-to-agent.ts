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
  scrollTo(found)
  found.querySelector('summary')?.focus({ preventScroll: true })
}

/** Scrolls to a block, opens the details around it, and focuses it. */
export function goToBlock(conversationId: string, blockId: string): void {
  const [conversation, block] = [CSS.escape(conversationId), CSS.escape(blockId)]
  const found = document.querySelector<HTMLElement>(
    `[data-conversation="${conversation}"][data-block="${block}"]`,
  )
  if (!found) return
  scrollTo(found)
  found.tabIndex = -1
  found.focus({ preventScroll: true })
}

function scrollTo(found: Element): void {
  for (let element: Element | null = found; element; element = element.parentElement)
    if (element instanceof HTMLDetailsElement) element.open = true
  found.scrollIntoView({ block: 'start' })
}
