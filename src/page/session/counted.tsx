import type { ConversationBlock } from 'agentfold'
import { Profiler, type ReactNode } from 'react'

declare global {
  interface Window {
    /** A test sets a list here. It gets `<conversation>/<block>` for each render of a block. */
    __renders?: string[]
  }
}

interface CountedProps {
  readonly block: ConversationBlock
  readonly children: ReactNode
}

/** Counts the renders of a block. It must not contain another block, whose renders would count for both. */
export function Counted({ block: { conversationId, id }, children }: CountedProps): ReactNode {
  return (
    <Profiler id={`${conversationId}/${id}`} onRender={countRender}>
      {children}
    </Profiler>
  )
}

function countRender(id: string): void {
  window.__renders?.push(id)
}
