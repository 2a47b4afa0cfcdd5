const _: () = {
    /// A handle for each member of [`Address`], for conditions and changes.
    #[allow(
        dead_code,
        private_interfaces,
        reason = "there is a handle for every member"
    )]
    struct __AddressMembers<T, __E, __A> {
        /// The member `streetName`.
        street_name: ::dyno::Field<__E, String, __A, ::dyno::field::Nested>,
        /// The member `notes`.
        notes: ::dyno::Field<__E, Vec<T>, __A, ::dyno::field::Nested>,
        #[doc(hidden)]
        __dyno_owner: ::core::marker::PhantomData<fn() -> (Address<T>, __E, __A)>,
    }
    #[automatically_derived]
    impl<T> ::dyno::Document for Address<T>
    where
        Vec<T>: ::dyno::Attribute,
    {
        type Fields<__E, __A> = __AddressMembers<T, __E, __A>;
        const __MEMBERS: usize = 2usize;
        fn __fields<__E, __A>(
            place: ::dyno::field::Nested,
        ) -> <Self as ::dyno::Document>::Fields<__E, __A> {
            __AddressMembers {
                street_name: ::dyno::__private::member::<
                    String,
                >(::dyno::__private::attribute::<String, _, _>("streetName"))
                    .__within(&place),
                notes: ::dyno::__private::member::<
                    Vec<T>,
                >(::dyno::__private::attribute::<Vec<T>, _, _>("notes").__or(Vec::new))
                    .__within(&place),
                __dyno_owner: ::core::marker::PhantomData,
            }
        }
        fn __encode_members(
            &self,
            item: &mut ::dyno::Item,
        ) -> ::core::result::Result<(), ::dyno::EncodeError> {
            ::dyno::__private::member::<
                String,
            >(::dyno::__private::attribute::<String, _, _>("streetName"))
                .__codec
                .put_member(item, &self.street_name)?;
            ::dyno::__private::member::<
                Vec<T>,
            >(::dyno::__private::attribute::<Vec<T>, _, _>("notes").__or(Vec::new))
                .__codec
                .put_member(item, &self.notes)?;
            ::dyno::__private::put_rest_of_members(
                &["streetName", "notes"],
                &self.others,
                item,
            )?;
            ::core::result::Result::Ok(())
        }
        fn __decode_members(
            item: &mut ::dyno::__private::Members<'_>,
        ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
            ::core::result::Result::Ok(Self {
                street_name: ::dyno::__private::member::<
                    String,
                >(::dyno::__private::attribute::<String, _, _>("streetName"))
                    .__codec
                    .take(item)?,
                notes: ::dyno::__private::member::<
                    Vec<T>,
                >(::dyno::__private::attribute::<Vec<T>, _, _>("notes").__or(Vec::new))
                    .__codec
                    .take(item)?,
                cached: ::core::default::Default::default(),
                others: ::dyno::__private::take_rest_of_members::<
                    Item,
                >(&["streetName", "notes"], item),
            })
        }
    }
};
#[automatically_derived]
impl<T> ::dyno::Value for Address<T>
where
    Vec<T>: ::dyno::Attribute,
{
    type Kind = ::dyno::value::kind::Map;
    fn encode(
        &self,
    ) -> ::core::result::Result<::dyno::__private::AttributeValue, ::dyno::EncodeError> {
        ::dyno::__private::encode_document(self)
    }
    fn decode(
        value: ::dyno::__private::RawValue<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        ::dyno::__private::decode_document(value)
    }
    fn __stored_type(
        parents: &mut ::dyno::__private::Parents,
    ) -> ::dyno::__private::StoredType {
        ::dyno::__private::document_type::<
            Self,
        >(
            parents,
            |parents| {
                ::std::vec![
                    ::dyno::__private::member:: < String >
                    (::dyno::__private::attribute:: < String, _, _ > ("streetName"))
                    .__described(parents), ::dyno::__private::member:: < Vec < T > >
                    (::dyno::__private::attribute:: < Vec < T >, _, _ > ("notes")
                    .__or(Vec::new)).__described(parents)
                ]
            },
        )
    }
}
#[automatically_derived]
impl ::dyno::Value for OrderId {
    type Kind = <<u64 as ::dyno::Value>::Kind as ::dyno::value::kind::Kind>::Newtype;
    fn encode(
        &self,
    ) -> ::core::result::Result<::dyno::__private::AttributeValue, ::dyno::EncodeError> {
        <u64 as ::dyno::Value>::encode(&self.0)
    }
    fn decode(
        value: ::dyno::__private::RawValue<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        <u64 as ::dyno::Value>::decode(value).map(Self)
    }
    fn __push_text(
        &self,
        text: &mut ::std::string::String,
    ) -> ::core::result::Result<(), ::dyno::EncodeError> {
        <u64 as ::dyno::Value>::__push_text(&self.0, text)
    }
    fn __text_len(&self) -> usize {
        <u64 as ::dyno::Value>::__text_len(&self.0)
    }
    fn __stored_type(
        parents: &mut ::dyno::__private::Parents,
    ) -> ::dyno::__private::StoredType {
        <u64 as ::dyno::Value>::__stored_type(parents)
    }
    const __CHARACTERS: ::dyno::__private::Characters = <u64 as ::dyno::Value>::__CHARACTERS;
    const __RANGE: ::core::option::Option<(i128, i128)> = <u64 as ::dyno::Value>::__RANGE;
}
#[automatically_derived]
impl ::dyno::Value for Payment {
    type Kind = ::dyno::value::kind::Any;
    fn encode(
        &self,
    ) -> ::core::result::Result<::dyno::__private::AttributeValue, ::dyno::EncodeError> {
        ::dyno::__private::within(|| match self {
            Self::Cash => ::core::result::Result::Ok(::dyno::__private::text("Cash")),
            Self::Voucher(value) => {
                <u32 as ::dyno::Value>::encode(value)
                    .map(|value| ::dyno::__private::named("Voucher", value))
                    .map_err(|error| error.at_name("Voucher"))
            }
            Self::Card { number: __dyno_number, item: __dyno_item, .. } => {
                let mut members = ::dyno::__private::item(0);
                let item = &mut members;
                ::dyno::__private::member::<
                    String,
                >(::dyno::__private::attribute::<String, _, _>("number"))
                    .__codec
                    .put_member(item, __dyno_number)?;
                ::dyno::__private::member::<
                    Option<u8>,
                >(::dyno::__private::attribute::<Option<u8>, _, _>("item"))
                    .__codec
                    .put_member(item, __dyno_item)?;
                ::core::result::Result::Ok(
                    ::dyno::__private::named(
                        "Card",
                        ::dyno::__private::AttributeValue::M(members),
                    ),
                )
            }
        })
    }
    fn decode(
        value: ::dyno::__private::RawValue<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        ::dyno::__private::within(|| {
            let (name, value) = ::dyno::__private::unname(value)?;
            match name.as_str() {
                "Cash" => ::core::result::Result::Ok(Self::Cash),
                "Voucher" => {
                    <u32 as ::dyno::Value>::decode(value)
                        .map(Self::Voucher)
                        .map_err(|error| error.at_name("Voucher"))
                }
                "Card" => {
                    let mut members = ::dyno::__private::members(value, "Card")?;
                    let item = &mut members;
                    (move || ::core::result::Result::Ok(Self::Card {
                        number: ::dyno::__private::member::<
                            String,
                        >(::dyno::__private::attribute::<String, _, _>("number"))
                            .__codec
                            .take(item)?,
                        item: ::dyno::__private::member::<
                            Option<u8>,
                        >(::dyno::__private::attribute::<Option<u8>, _, _>("item"))
                            .__codec
                            .take(item)?,
                    }))()
                        .map_err(|error: ::dyno::DecodeError| error.at_name("Card"))
                }
                _ => {
                    ::core::result::Result::Err(
                        ::dyno::__private::unknown_variant(&["Cash", "Voucher", "Card"]),
                    )
                }
            }
        })
    }
    fn __stored_type(
        parents: &mut ::dyno::__private::Parents,
    ) -> ::dyno::__private::StoredType {
        ::dyno::__private::enum_type::<
            Self,
        >(
            parents,
            ::core::option::Option::None,
            |parents| {
                ::std::vec![
                    ("Cash", ::core::option::Option::None), ("Voucher",
                    ::core::option::Option::Some(< u32 as ::dyno::Value >
                    ::__stored_type(parents))), ("Card",
                    ::core::option::Option::Some(::dyno::__private::members_type(parents,
                    | parents | ::std::vec![::dyno::__private::member:: < String >
                    (::dyno::__private::attribute:: < String, _, _ > ("number"))
                    .__described(parents), ::dyno::__private::member:: < Option < u8 > >
                    (::dyno::__private::attribute:: < Option < u8 >, _, _ > ("item"))
                    .__described(parents)])))
                ]
            },
        )
    }
}
#[automatically_derived]
impl ::dyno::Value for Event {
    type Kind = ::dyno::value::kind::Map;
    fn encode(
        &self,
    ) -> ::core::result::Result<::dyno::__private::AttributeValue, ::dyno::EncodeError> {
        ::dyno::__private::within(|| match self {
            Self::Opened => {
                ::dyno::__private::tagged("type", "Opened", ::dyno::__private::item(0))
            }
            Self::Moved(value) => {
                let mut members = ::dyno::__private::item(0);
                <Address as ::dyno::Document>::__encode_members(value, &mut members)?;
                ::dyno::__private::tagged("type", "Moved", members)
            }
            Self::Renamed { to: __dyno_to, .. } => {
                let mut members = ::dyno::__private::item(0);
                let item = &mut members;
                ::dyno::__private::member::<
                    String,
                >(::dyno::__private::attribute::<String, _, _>("to"))
                    .__codec
                    .put_member(item, __dyno_to)?;
                ::dyno::__private::tagged("type", "Renamed", members)
            }
        })
    }
    fn decode(
        value: ::dyno::__private::RawValue<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        ::dyno::__private::within(|| {
            let (name, mut members) = ::dyno::__private::untag(value, "type")?;
            let item = &mut members;
            match name.as_str() {
                "Opened" => ::core::result::Result::Ok(Self::Opened),
                "Moved" => {
                    <Address as ::dyno::Document>::__decode_members(item)
                        .map(Self::Moved)
                }
                "Renamed" => {
                    ::core::result::Result::Ok(Self::Renamed {
                        to: ::dyno::__private::member::<
                            String,
                        >(::dyno::__private::attribute::<String, _, _>("to"))
                            .__codec
                            .take(item)?,
                    })
                }
                _ => {
                    ::core::result::Result::Err(
                        ::dyno::__private::unknown_variant(
                                &["Opened", "Moved", "Renamed"],
                            )
                            .at_name("type"),
                    )
                }
            }
        })
    }
    fn __stored_type(
        parents: &mut ::dyno::__private::Parents,
    ) -> ::dyno::__private::StoredType {
        ::dyno::__private::enum_type::<
            Self,
        >(
            parents,
            ::core::option::Option::Some("type"),
            |parents| {
                ::std::vec![
                    ("Opened", ::core::option::Option::None), ("Moved",
                    ::core::option::Option::Some(< Address as ::dyno::Document >
                    ::__stored(parents))), ("Renamed",
                    ::core::option::Option::Some(::dyno::__private::members_type(parents,
                    | parents | ::std::vec![::dyno::__private::member:: < String >
                    (::dyno::__private::attribute:: < String, _, _ > ("to"))
                    .__described(parents)])))
                ]
            },
        )
    }
}
