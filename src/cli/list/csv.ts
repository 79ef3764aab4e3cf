/** Returns a line of comma-separated values (RFC 4180). An absent value is empty. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text =
    typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : `${value}`
  // A spreadsheet runs a text that begins like a formula.
  const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
