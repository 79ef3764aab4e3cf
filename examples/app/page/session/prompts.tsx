import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import { type ReactNode, useEffect } from 'react'
import { oneLine } from '../blocks/one-line.ts'
import { type Navigator, useNavigator } from '../rows/navigator.tsx'
import { onKeys } from './shortcuts.ts'

interface Prompt {
  readonly id: string
  readonly text: string
}

/** The prompts of the person, with links to them. */
export function Prompts(): ReactNode {
  const prompts = useSession(promptsIn, areSamePrompts)
  const navigator = useNavigator()
  useEffect(() => {
    const step = (by: number) => () => goToNeighbour(prompts, by, navigator)
    return onKeys({ j: step(1), k: step(-1) })
  }, [prompts, navigator])
  if (prompts.length === 0) return null
  return (
    <nav className="prompts" aria-label="Prompts">
      <h2 className="side-head">Prompts</h2>
      <ol>
        {prompts.map(({ id, text }) => (
          <li key={id}>
            <button type="button" onClick={() => navigator.goToBlock('main', id, false)}>
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function promptsIn({ blocks }: SessionConversationState): readonly Prompt[] {
  return blocks.flatMap((block) => {
    if (block.type !== 'user_message' || block.origin) return []
    const { id, content } = block
    const text =
      typeof content === 'string'
        ? content
        : content.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ')
    return [{ id, text: oneLine(text) || 'Empty prompt' }]
  })
}

function areSamePrompts(left: readonly Prompt[], right: readonly Prompt[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ id, text }, at) => id === right[at]?.id && text === right[at].text)
  )
}

/** Goes to the prompt after the focused one, or before it. */
function goToNeighbour(prompts: readonly Prompt[], by: number, navigator: Navigator): void {
  const focused = document.activeElement?.closest<HTMLElement>('[data-block]')?.dataset.block
  const at = prompts.findIndex(({ id }) => id === focused)
  const next =
    at === -1 ? (by > 0 ? 0 : prompts.length - 1) : Math.min(Math.max(at + by, 0), prompts.length - 1)
  const prompt = prompts[next]
  if (prompt) navigator.goToBlock('main', prompt.id, false)
}
