import { useBlockIds } from 'agentfold/react'
import { type MemoExoticComponent, memo, type ReactNode, useState } from 'react'
import { Block } from './block.tsx'

/** The blocks of a conversation; rendered again when one comes or goes, not when one grows. */
export const BlockList: MemoExoticComponent<typeof Blocks> = memo(Blocks)

function Blocks({ conversationId }: { readonly conversationId: string }): ReactNode {
  const runs = useRuns(useBlockIds(conversationId))
  return runs.map(
    (run, at) =>
      run.length > 0 && (
        // biome-ignore lint/suspicious/noArrayIndexKey: a run keeps its place, even when all its blocks have gone
        <Run key={at} conversationId={conversationId} ids={run} />
      ),
  )
}

/**
 * Browsers look with each frame which elements with `content-visibility: auto` are in view: ten thousand blocks are too many for
 * that, two hundred runs are not. And of a block that comes only its run is rendered.
 */
const RUN = 50

type Runs = readonly (readonly string[])[]

/** The ids in runs, in which those that were there before are still in the same one. */
function useRuns(ids: readonly string[]): Runs {
  const [known, setKnown] = useState<{ readonly ids: readonly string[]; readonly runs: Runs }>({
    ids: [],
    runs: [],
  })
  if (known.ids === ids) return known.runs
  const runs = regrouped(known.runs, ids)
  setKnown({ ids, runs })
  return runs
}

/** Who goes leaves a gap: a block that moved up into another run would be mounted anew, and what was unfolded in it be folded. */
function regrouped(before: Runs, ids: readonly string[]): Runs {
  const present = new Set(ids)
  const kept = before.map((run) => run.filter((id) => present.has(id)))
  const inOrder = kept.flat()
  const isSameOrder = inOrder.every((id, at) => id === ids[at])
  if (!isSameOrder) return runsOf(ids)
  return [...kept.slice(0, -1), ...runsOf([...(kept.at(-1) ?? []), ...ids.slice(inOrder.length)])]
}

function runsOf(ids: readonly string[]): Runs {
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
