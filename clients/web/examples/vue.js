// The page loads the elements with <script type="module" src="/postal-places.js">. In a template, tell the compiler that
// they are none of Vue's: `isCustomElement: (tag) => tag.startsWith('postal-')`. Vue keeps `key` for itself, so the key is
// in `api-key`.
import { createApp, h, ref } from 'vue';

const OrderForm = {
  setup() {
    const place = ref(null);
    const isSent = ref(false);

    async function send(event) {
      event.preventDefault();
      const order = { ...Object.fromEntries(new FormData(event.currentTarget)), placeId: place.value?.id ?? null };
      await fetch('/orders', { method: 'POST', body: JSON.stringify(order) });
      isSent.value = true;
    }

    return () =>
      h('form', { onSubmit: send }, [
        h('label', ['Name ', h('input', { name: 'name', autocomplete: 'name', required: true })]),
        h('postal-address-form', {
          'api-key': 'pp_pub_YOUR_KEY',
          api: 'https://api.example',
          country: 'DE',
          onChange: (event) => {
            place.value = event.detail.place;
          },
        }),
        h('button', 'Order'),
        h('output', isSent.value ? 'Thank you' : ''),
      ]);
  },
};

createApp(OrderForm).mount('#app');
