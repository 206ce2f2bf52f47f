import { fill, product, type ProductInput } from "@shop/catalog";
import { KitError } from "@shop/catalog/client";
import { useState } from "preact/hooks";
import { shop } from "./shop.js";

/** What is wrong, by the name of a field; "" is the form itself. */
type Refusals = { [field: string]: string };

const empty = { sku: "", name: "", price: "", weight: "", categoryId: "c-espresso" };

/** What would be sent of what stands in the form. */
const input = (form: typeof empty): Partial<ProductInput> => ({
  sku: form.sku,
  name: form.name,
  price: form.price === "" ? NaN : Number(form.price),
  weight: form.weight || null,
  categoryId: form.categoryId,
  supplierId: null,
});

/** The judge's refusals: the first of each field. */
function judged(value: unknown): Refusals {
  const refusals: Refusals = {};
  for (const { path, message } of product.create["~standard"].validate(value).issues ?? []) refusals[String(path[0] ?? "")] ??= message;
  return refusals;
}

/** The host's refusals: of the body as the judge has them, of a conflict by the fields it names. */
function answered(err: unknown): Refusals {
  if (!(err instanceof KitError)) return { "": String(err) };
  if (Array.isArray(err.details)) return Object.fromEntries(err.details.map(({ path, message }: { path: string; message: string }) => [path.split(".")[0], message]));
  const fields = (err.details as { fields?: string[] } | undefined)?.fields ?? [""];
  return Object.fromEntries(fields.map((field) => [field, err.message]));
}

export function NewProduct({ done }: { done: () => void }) {
  const [form, setForm] = useState(empty);
  const [touched, setTouched] = useState<{ [field: string]: boolean }>({});
  const [host, setHost] = useState<Refusals>({});
  const [made, setMade] = useState("");

  const refusals = judged(input(form));
  const shown = (field: string) => host[field] ?? (touched[field] ? refusals[field] : undefined);
  const field = (name: keyof typeof empty, title: string) => (
    <label>
      {title}
      <input
        name={name}
        value={form[name]}
        aria-invalid={shown(name) !== undefined}
        onInput={(e) => {
          setForm({ ...form, [name]: e.currentTarget.value });
          setTouched({ ...touched, [name]: true });
          setHost({});
          setMade("");
        }}
      />
      {shown(name) && <span class="refusal" id={`${name}-refusal`}>{shown(name)}</span>}
    </label>
  );

  const submit = async (e: Event) => {
    e.preventDefault();
    setTouched(Object.fromEntries(Object.keys(empty).map((name) => [name, true])));
    if (Object.keys(refusals).length) return;
    try {
      const row = await shop.product.create(fill(product.create, input(form)));
      setMade(row.name);
      setForm(empty);
      setTouched({});
      done();
    } catch (err) {
      setHost(answered(err));
    }
  };

  return (
    <section aria-label="New product">
      <h2>New product</h2>
      <form onSubmit={(e) => void submit(e)} noValidate>
        {field("sku", "Article number")}
        {field("name", "Title")}
        {field("price", "Price in cents")}
        {field("weight", "Weight in kilograms")}
        {field("categoryId", "Category")}
        <button>Create</button>
      </form>
      {host[""] && <p role="alert">{host[""]}</p>}
      {made && <p role="status">{made} is in the shop.</p>}
    </section>
  );
}
