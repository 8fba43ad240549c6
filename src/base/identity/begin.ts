/**
 * Calls a function of the user's, and sees to it that all of it belongs to the asynchronous context of this call. A thenable that is no
 * plain promise (a query of Prisma, Knex or Mongoose) begins its work when somebody awaits it: so it begins here, and not by a
 * caller that has left the context.
 */
export function begin<Result>(body: () => Result): Result | Promise<Awaited<Result>> {
  const result = body()
  return isLazy(result) ? Promise.resolve(result) : result
}

function isLazy(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return 'then' in value && value.then !== Promise.prototype.then
}
