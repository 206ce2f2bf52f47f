// The schemas of a package in the form libraries of the field: react-hook-form through its
// resolver of Standard Schema, TanStack Form as it stands.

import { FormApi } from "@tanstack/form-core";
import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { renderToString } from "react-dom/server";
import { useForm } from "react-hook-form";
import { details, fill, product, type ProductInput } from "@shop/catalog";

const print = (name: string, value: unknown): void => console.log(name, JSON.stringify(value));

// Every schema is one of the specification, with the types of what is sent.
const spec: StandardSchemaV1<ProductInput> = product.create;
type Input = StandardSchemaV1.InferInput<typeof product.create>;
const input: Input = { sku: "ABC-0001", name: "Cup", price: 900, weight: null, categoryId: "c1", supplierId: null };
print("spec", [spec["~standard"].version, spec["~standard"].validate(input)]);

// react-hook-form: the resolver, and a form that is drawn with it.
const resolver = standardSchemaResolver(product.create);
const bad = { ...input, name: "", price: -1, colour: "red" };
const resolved = await resolver(bad, undefined, { fields: {}, shouldUseNativeValidation: false } as never);
print("hook form", Object.entries(resolved.errors).map(([name, error]) => [name, (error as { message?: string }).message]));
function Form() {
  const { register } = useForm<ProductInput>({ resolver: standardSchemaResolver(product.create), defaultValues: input });
  return <input {...register("name")} />;
}
print("drawn", renderToString(<Form />));

// TanStack Form: the schema is the validator.
const form = new FormApi({ defaultValues: bad as ProductInput, validators: { onSubmit: product.create as StandardSchemaV1<ProductInput> } });
form.mount();
await form.handleSubmit();
const errors = (form.state.errors[0] ?? {}) as Record<string, readonly { message: string }[]>;
print("tanstack form", Object.entries(errors).map(([name, list]) => [name, list.map((issue) => issue.message)]));

// A patch is judged as one: what is left out stays, the key cannot change.
print("patch", [product.update["~standard"].validate({ price: 950 }), details(product.update, { id: "p2", price: null })]);
print("absent", details(product.create, undefined).map((d) => d.pointer));
print("as sent", details(product.create, { ...input, price: NaN, sku: undefined }).map((d) => [d.path, d.message]));
print("fill", fill(product.create, input, new Date("2026-05-01T10:30:00.123Z")));
print("untouched", product.create["~standard"].validate(input));

// @ts-expect-error a misspelt member
const wrong: Input = { ...input, pric: 1 };
void wrong;
