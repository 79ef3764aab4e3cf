/** Rejects with the name of the work if it takes longer than that many milliseconds. */
export async function within<Result>(ms: number, name: string, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`after ${ms} ms, this has not ended: ${name}`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
