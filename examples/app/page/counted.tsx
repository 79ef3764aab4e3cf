import type { ConversationBlock } from 'agentfold'
import { Profiler, type ReactNode } from 'react'

declare global {
  interface Window {
    /** A test puts a list here, and finds `<conversation>/<block>` in it for each time that a block has been rendered. */
    __renders?: string[]
  }
}

interface CountedProps {
  readonly block: ConversationBlock
  readonly children: ReactNode
}

/** Counts the renders of a block. No other block may be within it, or its renders would count for both. */
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
