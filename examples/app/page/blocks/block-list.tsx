import { useBlockIds } from 'agentfold/react'
import { type MemoExoticComponent, memo, type ReactNode, useState } from 'react'
import { Block } from './block.tsx'

/** The blocks of a conversation. The list renders again when a block appears or disappears, not when a block grows. */
export const BlockList: MemoExoticComponent<typeof Blocks> = memo(Blocks)

function Blocks({ conversationId }: { readonly conversationId: string }): ReactNode {
  const runs = useRuns(useBlockIds(conversationId))
  return runs.map(
    (run, at) =>
      run.length > 0 && (
        // biome-ignore lint/suspicious/noArrayIndexKey: a run keeps its index, also without blocks
        <Run key={at} conversationId={conversationId} ids={run} />
      ),
  )
}

/**
 * The blocks per run. With each frame, browsers check which elements with `content-visibility: auto` are in view. Ten thousand blocks
 * are too many for that, two hundred runs are not. A new block renders only its run.
 */
const RUN_LENGTH = 50

type Runs = readonly (readonly string[])[]

/** Returns the ids in runs. Each id stays in its run. */
function useRuns(ids: readonly string[]): Runs {
  const [current, setCurrent] = useState<{ readonly ids: readonly string[]; readonly runs: Runs }>({
    ids: [],
    runs: [],
  })
  if (current.ids === ids) return current.runs
  const runs = updateRuns(current.runs, ids)
  setCurrent({ ids, runs })
  return runs
}

/** A removed block leaves a gap. If other blocks moved to another run, React would mount them again and close their details. */
function updateRuns(before: Runs, ids: readonly string[]): Runs {
  const present = new Set(ids)
  const kept = before.map((run) => run.filter((id) => present.has(id)))
  const keptIds = kept.flat()
  const isSameOrder = keptIds.every((id, at) => id === ids[at])
  if (!isSameOrder) return runsOf(ids)
  return [...kept.slice(0, -1), ...runsOf([...(kept.at(-1) ?? []), ...ids.slice(keptIds.length)])]
}

function runsOf(ids: readonly string[]): Runs {
  const count = Math.ceil(ids.length / RUN_LENGTH)
  return Array.from({ length: count }, (_, at) => ids.slice(at * RUN_LENGTH, (at + 1) * RUN_LENGTH))
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
