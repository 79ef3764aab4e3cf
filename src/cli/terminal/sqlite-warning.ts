/** The part of the process that warns. */
interface WarningProcess {
  emitWarning: (...warning: readonly never[]) => void
}

/**
 * Hides the warning of Node 22 that its SQLite is experimental: a person who lists sessions can do nothing about it.
 * Other warnings stay.
 */
export function hideSqliteWarning(process: WarningProcess): void {
  const { emitWarning } = process
  process.emitWarning = (...warning) => {
    const [message, type] = warning.map(String)
    const isAboutSqlite = message?.startsWith('SQLite is an experimental') && type === 'ExperimentalWarning'
    if (!isAboutSqlite) Reflect.apply(emitWarning, process, warning)
  }
}
