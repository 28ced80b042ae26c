/** Exactly the same type, `any` and `unknown` told apart. */
export type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Fails to compile unless its argument is the type `true`: `proof<Same<A, B>>()`. */
export function proof<_Fact extends true>(): void {}
