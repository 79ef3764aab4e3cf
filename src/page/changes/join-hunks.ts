import type { DiffHunk } from '../../core/state/file-change.ts'

type Mark = ' ' | '+' | '-'

/** A line of a diff, or a number of lines between its hunks. */
type Part =
  | { readonly type: 'line'; readonly mark: Mark; readonly text: string }
  | { readonly type: 'gap'; readonly lines: number }

/** The unchanged lines around a change. */
const CONTEXT = 3

/**
 * Returns one diff for the diffs of a file that follow each other, each against the file after the one before.
 * Returns undefined if they do not fit together: then something else has changed the file in between, or a program
 * counts lines in its own way.
 */
export function joinHunks(diffs: readonly (readonly DiffHunk[])[]): readonly DiffHunk[] | undefined {
  let joined: readonly Part[] | undefined = []
  for (const hunks of diffs) {
    const next = partsOf(hunks)
    joined = joined && next && compose(joined, next)
  }
  return joined && hunksOf(normalized(joined))
}

function partsOf(hunks: readonly DiffHunk[]): readonly Part[] | undefined {
  const parts: Part[] = []
  let at = 1
  for (const { oldStart, oldLines, lines } of hunks) {
    const start = oldLines === 0 ? oldStart + 1 : oldStart
    if (start < at) return undefined
    if (start > at) parts.push({ type: 'gap', lines: start - at })
    at = start
    for (const line of lines) {
      const mark = line.slice(0, 1)
      // A note, such as that of a missing line break, is no line.
      if (mark !== ' ' && mark !== '+' && mark !== '-') continue
      parts.push({ type: 'line', mark, text: line.slice(1) })
      if (mark !== '+') at += 1
    }
  }
  return parts
}

/** Returns the change from the file before `first` to the file after `second`. */
function compose(first: readonly Part[], second: readonly Part[]): readonly Part[] | undefined {
  const result: Part[] = []
  const before = new Reader(first, result)
  for (const part of second) {
    if (part.type === 'gap') before.copy(part.lines)
    else if (part.mark === '+') result.push(part)
    else {
      const read = before.next(1)
      if (read.type === 'line' && read.text !== part.text) return undefined
      const isNew = read.type === 'line' && read.mark === '+'
      // A line that came and went again leaves nothing.
      if (part.mark === ' ') result.push(isNew ? read : part)
      else if (!isNew) result.push(part)
    }
  }
  before.copyRest()
  return result
}

/** Reads the lines of the file after a diff. The removed lines go to the result at once. After the diff, the file goes on. */
class Reader {
  readonly #parts: Part[]
  readonly #result: Part[]

  constructor(parts: readonly Part[], result: Part[]) {
    this.#parts = parts.toReversed()
    this.#result = result
  }

  /** Returns the next line, or at most so many lines that are not known. */
  next(most: number): Part {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      if (part.type === 'line' && part.mark !== '-') return part
      if (part.type === 'line') {
        this.#result.push(part)
        continue
      }
      const lines = Math.min(part.lines, most)
      if (part.lines > lines) this.#parts.push({ type: 'gap', lines: part.lines - lines })
      return { type: 'gap', lines }
    }
    return { type: 'gap', lines: most }
  }

  copy(lines: number): void {
    for (let left = lines; left > 0; ) {
      const part = this.next(left)
      this.#result.push(part)
      left -= part.type === 'gap' ? part.lines : 1
    }
  }

  copyRest(): void {
    this.#result.push(...this.#parts.toReversed())
  }
}

/** Puts removed lines before new ones, and makes a line that was replaced by itself an unchanged one. */
function normalized(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = []
  let removed: string[] = []
  let added: string[] = []
  const flush = (): void => {
    let start = 0
    while (start < removed.length && start < added.length && removed[start] === added[start]) start += 1
    let end = 0
    const most = Math.min(removed.length, added.length) - start
    while (end < most && removed.at(-1 - end) === added.at(-1 - end)) end += 1
    const push = (mark: Mark, texts: readonly string[]) => {
      for (const text of texts) result.push({ type: 'line', mark, text })
    }
    push(' ', removed.slice(0, start))
    push('-', removed.slice(start, removed.length - end))
    push('+', added.slice(start, added.length - end))
    push(' ', removed.slice(removed.length - end))
    removed = []
    added = []
  }
  for (const part of parts) {
    if (part.type === 'line' && part.mark === '-') removed.push(part.text)
    else if (part.type === 'line' && part.mark === '+') added.push(part.text)
    else {
      flush()
      result.push(part)
    }
  }
  flush()
  return result
}

/** Returns the changed lines with the lines around them that are known. */
function hunksOf(parts: readonly Part[]): readonly DiffHunk[] {
  const hunks: DiffHunk[] = []
  let [oldStart, newStart] = [1, 1]
  let lines: string[] = []
  const flush = (): void => {
    hunks.push(...trimmed({ oldStart, newStart, lines }))
    for (const line of lines) {
      if (!line.startsWith('+')) oldStart += 1
      if (!line.startsWith('-')) newStart += 1
    }
    lines = []
  }
  for (const part of parts) {
    if (part.type === 'line') lines.push(part.mark + part.text)
    else {
      flush()
      oldStart += part.lines
      newStart += part.lines
    }
  }
  flush()
  return hunks
}

/** Returns the hunk with few lines around its changes; none without a change. */
function trimmed({
  oldStart,
  newStart,
  lines,
}: Pick<DiffHunk, 'oldStart' | 'newStart' | 'lines'>): readonly DiffHunk[] {
  const isChange = (line: string): boolean => !line.startsWith(' ')
  const first = lines.findIndex(isChange)
  if (first === -1) return []
  const skipped = Math.max(first - CONTEXT, 0)
  const shown = lines.slice(skipped, lines.findLastIndex(isChange) + 1 + CONTEXT)
  const oldLines = shown.filter((line) => !line.startsWith('+')).length
  const newLines = shown.filter((line) => !line.startsWith('-')).length
  // A side without lines names the line before it.
  const startOf = (start: number, count: number) => start + skipped - (count === 0 ? 1 : 0)
  return [
    {
      ...{ oldStart: startOf(oldStart, oldLines), oldLines },
      ...{ newStart: startOf(newStart, newLines), newLines, lines: shown },
    },
  ]
}
