const PREFIX = 'exec:'

/** Returns the id of an item, which only its process and its number in it name. */
export function execId(process: number, id: string): string {
  return `${PREFIX}${process}:${id}`
}

/** Whether the id is one that this format gave to an item of `codex exec`. Another form of the session has another id for the item. */
export function isExecId(id: string): boolean {
  return id.startsWith(PREFIX)
}

/** Returns the id of the error that ended a process: each has at most one. */
export function execErrorId(process: number): string {
  return execId(process, 'error')
}
