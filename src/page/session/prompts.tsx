import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import type { ReactNode } from 'react'
import { isPrompt } from '../../core/state/block.ts'
import { oneLine } from '../blocks/one-line.ts'
import { useNavigator, useReaderPlace } from '../rows/navigator.tsx'
import { Roving } from './roving.tsx'

interface Prompt {
  readonly id: string
  readonly text: string
}

export function usePrompts(): readonly Prompt[] {
  return useSession(promptsIn, areSamePrompts)
}

/** The prompts of the person, with links to them. */
export function Prompts(): ReactNode {
  const prompts = usePrompts()
  const navigator = useNavigator()
  const { promptId } = useReaderPlace()
  return (
    <Roving className="prompts" label="Prompts">
      <ol>
        {prompts.map(({ id, text }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === promptId ? 'location' : undefined}
              onClick={() => navigator.goToBlock('main', id, false)}
            >
              <span dir="auto">{text}</span>
            </button>
          </li>
        ))}
      </ol>
    </Roving>
  )
}

/** Returns the prompts of the person, each on one line. */
export function promptsIn({ blocks }: SessionConversationState): readonly Prompt[] {
  return blocks.flatMap((block) => {
    if (!isPrompt(block)) return []
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
