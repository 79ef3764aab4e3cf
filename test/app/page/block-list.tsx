import { useBlockIds } from 'agentfold/react'
import { type MemoExoticComponent, memo, type ReactNode } from 'react'
import { Block } from './block.tsx'

/** The blocks of a conversation; rendered again when one comes or goes, not when one grows. */
export const BlockList: MemoExoticComponent<typeof Blocks> = memo(Blocks)

function Blocks({ conversationId }: { readonly conversationId: string }): ReactNode {
  const ids = useBlockIds(conversationId)
  return runsOf(ids).map((run, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a run is what stands at its place
    <Run key={at} conversationId={conversationId} ids={run} />
  ))
}

/**
 * Browsers look with each frame which elements with `content-visibility: auto` are in view: ten thousand blocks are too many for
 * that, two hundred runs are not. And of a block that comes only its run is rendered.
 */
const RUN = 50

function runsOf(ids: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(ids.length / RUN)
  return Array.from({ length: count }, (_, at) => ids.slice(at * RUN, (at + 1) * RUN))
}

interface RunProps {
  readonly conversationId: string
  readonly ids: readonly string[]
}

const Run = memo(BlocksOfRun, isSameRun)

function BlocksOfRun({ conversationId, ids }: RunProps): ReactNode {
  return (
    <div className="run">
      {ids.map((id) => (
        <Block key={id} conversationId={conversationId} blockId={id} />
      ))}
    </div>
  )
}

function isSameRun(left: RunProps, right: RunProps): boolean {
  return (
    left.conversationId === right.conversationId &&
    left.ids.length === right.ids.length &&
    left.ids.every((id, at) => id === right.ids[at])
  )
}
