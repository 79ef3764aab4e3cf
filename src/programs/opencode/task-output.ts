/** Reads the tag with which OpenCode frames a task's output: `<task id="…" state="…">`. */
export function parseTaskTag(output: string): { readonly id: string; readonly state: string } | undefined {
  const [, id, state] = /^<task id="([^"]*)" state="([^"]*)">/.exec(output) ?? []
  return id === undefined || state === undefined ? undefined : { id, state }
}

/** Returns the subagent's report without the frame. The report itself may contain such tags. */
export function extractReport(output: string): string {
  for (const tag of ['task_result', 'task_error']) {
    const from = output.indexOf(`<${tag}>`)
    const to = output.lastIndexOf(`</${tag}>`)
    if (from >= 0 && to > from)
      return output
        .slice(from + tag.length + 2, to)
        .replace(/^\n/, '')
        .replace(/\n$/, '')
  }
  const trailer = output.lastIndexOf('\n<task_metadata>')
  return trailer < 0 ? output : output.slice(0, trailer).trimEnd()
}
